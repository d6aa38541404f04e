import { pause } from '../pause.js'
import { envelope, Refusal } from '../service/refusal.js'
import type { Reply } from '../service/reply.js'
import { reasonOf } from '../webhooks/receiver.js'
import { refuseNonsense } from './fault-rules.js'

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

/** Bad days on request. */
export interface Faults {
  /**
   * Order a fault. Several stand in line: a request meets the first that fits it, and only that one.
   *
   * @throws {TypeError} An unknown operation or option, or a value that makes no sense.
   */
  add(fault: Fault): void
  /** From here on all goes well again. */
  clear(): void
}

/** The faults in line. */
export class FaultScript implements Faults {
  #waiting: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    refuseNonsense(fault)
    const ordered = saysWhat(fault) ? fault : { ...fault, status: 500 }
    this.#waiting.push({ fault: { ...ordered }, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#waiting = []
  }

  /** The fault that strikes this request; one of its strikes is then used up. */
  take(operation: string | undefined): Fault | undefined {
    const first = this.#waiting.find(({ fault }) => fault.operation === undefined || fault.operation === operation)
    if (first === undefined) return undefined
    first.left -= 1
    if (first.left === 0) this.#waiting = this.#waiting.filter((waiting) => waiting !== first)
    return first.fault
  }
}

function saysWhat({ operation: _operation, times: _times, at, ...trouble }: Fault): boolean {
  return typeof at === 'number' || Object.values(trouble).some((value) => value !== undefined && value !== false)
}

/**
 * What comes of a request that a fault strikes.
 *
 * @param act The service doing its work. Not called where the fault comes in its place.
 * @param signal Whoever goes away while a fault lets them wait is not served.
 */
export async function strike(fault: Fault, act: () => Reply | Promise<Reply>, signal?: AbortSignal): Promise<Reply> {
  if (fault.at !== undefined && fault.at !== 'before') return late(spoil(await act(), fault), fault)
  if (fault.delay) await pause(fault.delay, signal)
  if (signal?.aborted) return { ...nothing, hang: true }
  return isOnlyLate(fault) ? act() : spoil(nothing, { ...fault, status: fault.status ?? 500 })
}

const nothing: Reply = { status: 200, headers: {}, body: '' }

function late(reply: Reply, { delay }: Fault): Reply {
  return delay ? { ...reply, delayMs: delay } : reply
}

function isOnlyLate({ status, headers, body, hang, reset }: Fault): boolean {
  return status === undefined && headers === undefined && body === undefined && !hang && !reset
}

/** An answer as the fault leaves it. */
function spoil(reply: Reply, fault: Fault): Reply {
  const status = fault.status ?? reply.status
  const body = spoiledBody(reply, status, fault.body)
  const spoiled = {
    status,
    headers: { 'content-type': 'application/json', ...reply.headers, ...lowerCased(fault.headers) },
    body,
  }
  if (typeof fault.at === 'number' && fault.at >= new TextEncoder().encode(body).length) return spoiled
  return {
    ...spoiled,
    ...(typeof fault.at === 'number' && { cutAt: fault.at }),
    ...(fault.hang && { hang: true }),
    ...(fault.reset && { reset: true }),
  }
}

function spoiledBody(reply: Reply, status: number, body: Fault['body']): string {
  if (typeof body === 'string') return body
  if (typeof body === 'function') return JSON.stringify(made(body as BodyMaker, reply)) ?? ''
  if (body !== undefined) return JSON.stringify(body)
  if (status === reply.status || status < 300) return reply.body
  return status < 400 ? '' : envelope(new Refusal(status, 'SimulatedFault', ordered), 'simulated-fault').body
}

function made(body: BodyMaker, reply: Reply): unknown {
  try {
    return body(JSON.parse(reply.body))
  } catch (error) {
    throw new Refusal(500, 'SimulatedFault', `The function that makes the body of a fault failed: ${reasonOf(error)}`)
  }
}

const ordered = 'This answer was ordered with faults.add()'

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
