/**
 * A bad moment, ordered in advance: which request it strikes, at what point, and what goes wrong there. One that does not
 * say what goes wrong is an answer with status 500.
 *
 * @example The answer to a capture is lost, although the capture took effect.
 * faults.add({ operation: 'payments.capture', at: 'after', reset: true })
 * @example The service is overloaded twice, then recovers.
 * faults.add({ status: 503, headers: { 'retry-after': '1' }, times: 2 })
 * @example A status that nobody knows yet.
 * faults.add({ operation: 'payments.get', at: 'after', body: (payment) => ({ ...payment, status: 'PARTIALLY_SETTLED' }) })
 * @example A page without rows, although more follow.
 * faults.add({ operation: 'payments.list', at: 'after', body: (page) => ({ ...page, data: [] }) })
 */
export interface Fault {
  /** Strikes only this operation, e.g. `payments.capture`. @default whatever is asked for */
  operation?: string
  /** How many requests it strikes; `Infinity` for all until `clear()`. @default 1 */
  times?: number
  /**
   * When it strikes: `before` the service acts, `after` it acted and before it answers, or inside the answer: after that
   * many bytes of its body the connection breaks, or falls silent with `hang`. A byte beyond the end changes nothing.
   * @default 'before'
   */
  at?: 'before' | 'after' | number
  /** Status of the answer, 200 to 599. @default 500 before the service acts or where nothing else is said, else its own */
  status?: number
  /** Headers of the answer, beside or in place of the service's own. */
  headers?: Record<string, string>
  /**
   * Body of the answer: a text as it is, an object as JSON, or a function that makes it from what the service answered.
   * @default an error envelope where `status` says that something failed, else what the service answered
   */
  body?: string | object | BodyMaker
  /** Milliseconds of real time by which the service acts later (`before`), or answers later. Alone, all else goes well. */
  delay?: number
  /** No answer comes, or none from that byte on. */
  hang?: boolean
  /** The connection is reset. */
  reset?: boolean
}

/** Makes the body of an answer from the service's own: whatever it returns, as JSON. */
export type BodyMaker = (answer: Record<string, unknown>) => unknown
