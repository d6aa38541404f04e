import type { VirtualClock } from './clock.js'

/** The kind of change that an event reports. */
export type SandboxEventType =
  /** The service responded to a request. Has `requestId`, and `paymentId` if the request is about a payment. */
  | 'request'
  /** A payment was created, or its status changed. Has `paymentId` and `status`. */
  | 'status'
  /** A webhook was sent, or got its response. Has `deliveryId` and `paymentId`. */
  | 'delivery'
  /** A dispute was opened or moved. Has `disputeId`, `paymentId` and `status`. */
  | 'dispute'
  /** A client session was created or updated. Has `clientToken`. */
  | 'session'
  /** A payment method was saved, changed or deleted. Has `token`. */
  | 'instrument'
  /** A customer's balance of loyalty points changed. Has `connectionId` and `customerId`. */
  | 'loyalty'
  /** A fault was added, or affected a request. Has `faultId`. If `faultId` is absent, all faults were cleared. */
  | 'fault'
  /**
   * An API key was created or revoked, or the signing secret was rotated. Has no ID, because the ID would be the key
   * itself.
   */
  | 'key'
  /** The clock was advanced. Has `now`. */
  | 'clock'
  /** The sandbox was reset, or the reader missed events. Read the whole state again. */
  | 'reset'
  /** A snapshot replaced the state. Read the whole state again. */
  | 'restore'

export const feedEventTypes = /* @__PURE__ */ Object.keys({
  request: true,
  status: true,
  delivery: true,
  dispute: true,
  session: true,
  instrument: true,
  loyalty: true,
  fault: true,
  key: true,
  clock: true,
  reset: true,
  restore: true,
} satisfies Record<SandboxEventType, true>) as SandboxEventType[]

/** A change in the sandbox. */
export interface SandboxEvent {
  /** Number of the event. Later events have higher numbers, even after a sandbox reset. */
  readonly id: number
  readonly type: SandboxEventType
  /** Time of the change on the sandbox's clock, ISO 8601 in UTC. */
  readonly at: string
  /** Further fields, depending on `type`. */
  readonly [field: string]: string | number | undefined
}

export type Notify = (type: SandboxEventType, fields?: Readonly<Record<string, string | number | undefined>>) => void

const maxEvents = 10_000

export class Feed implements AsyncIterable<SandboxEvent> {
  readonly #clock: VirtualClock
  #events: SandboxEvent[] = []
  /** Starts at the current time, so that event IDs are higher than those of an earlier sandbox at this address. */
  #lastId = Date.now()
  #changed = signalled()

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  readonly notify: Notify = (type, fields) => {
    this.#lastId += 1
    this.#events.push({ id: this.#lastId, type, at: this.#now(), ...fields })
    if (this.#events.length > maxEvents) this.#events.shift()
    this.#wake()
  };

  [Symbol.asyncIterator](): AsyncGenerator<SandboxEvent, void> {
    return this.after(this.#lastId)
  }

  /**
   * Iterates over the events after the event with the given ID. If that event was discarded or never existed, starts
   * with a `reset` event, followed by future events.
   */
  async *after(id: number = this.#lastId, signal?: AbortSignal): AsyncGenerator<SandboxEvent, void> {
    signal?.addEventListener('abort', () => this.#wake())
    let read = id
    while (!signal?.aborted) {
      const unread = this.#lastId - read
      if (unread === 0) await this.#changed.promise
      else if (unread > 0 && unread <= this.#events.length) {
        read += 1
        yield this.#events.at(-unread) as SandboxEvent
      } else {
        read = this.#lastId
        yield { id: read, type: 'reset', at: this.#now() }
      }
    }
  }

  #wake(): void {
    this.#changed.resolve()
    this.#changed = signalled()
  }

  #now(): string {
    return this.#clock.now().toISOString()
  }
}

function signalled() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
