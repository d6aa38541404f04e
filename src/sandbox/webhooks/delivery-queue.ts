import type { Scheduled, VirtualClock } from '../clock.js'
import type { Random } from '../random.js'

/** A webhook on its way. It stays the same to the byte, however often it is sent. */
export interface Message {
  readonly eventType: string
  /** What it is about: a payment's id. */
  readonly subject: string | undefined
  readonly body: string
  /** Signed with a secret that nobody knows. */
  readonly isForged: boolean
}

/** Sends a message (`attempt` is 1 for the first time) and says whether it was taken. Never fails. */
export type Transmit = (message: Message, attempt: number) => Promise<boolean>

interface Pending {
  readonly message: Message
  attempts: number
  retry?: Scheduled | undefined
}

const maxAttempts = 6
const firstRetryMs = 60_000

/**
 * The webhooks for one subscriber, sent one at a time. One that is not taken is sent again later; until then those about
 * the same subject wait behind it, and the others go ahead.
 */
export class DeliveryQueue {
  #pending: Pending[] = []
  #current: Promise<void> | undefined

  constructor(
    readonly clock: VirtualClock,
    readonly random: Random,
    readonly transmit: Transmit,
  ) {}

  add(message: Message): void {
    this.#pending.push({ message, attempts: 0 })
  }

  /** Whether something is due, or being sent. */
  get isBusy(): boolean {
    return this.#nextDue() !== undefined
  }

  /** Send everything that is due. Resolves when all of it was answered. */
  async send(): Promise<void> {
    while (this.#current) await this.#current
    for (let next = this.#nextDue(); next; next = this.#nextDue()) {
      this.#current = this.#attempt(next)
      await this.#current
      this.#current = undefined
    }
  }

  /** Send nothing more of what is here. */
  clear(): void {
    for (const { retry } of this.#pending) retry?.cancel()
    this.#pending = []
  }

  #nextDue(): Pending | undefined {
    const held = new Set<string | undefined>()
    return this.#pending.find(({ message, retry }) => {
      if (retry) held.add(message.subject)
      return !held.has(message.subject)
    })
  }

  async #attempt(pending: Pending): Promise<void> {
    pending.attempts += 1
    const isTaken = await this.transmit(pending.message, pending.attempts)
    if (isTaken || pending.attempts === maxAttempts) {
      this.#pending = this.#pending.filter((other) => other !== pending)
    } else {
      pending.retry = this.clock.schedule(this.#backOff(pending.attempts), () => {
        pending.retry = undefined
        return this.send()
      })
    }
  }

  /** A minute, then twice as long each time, and up to a quarter more. */
  #backOff(attempts: number): number {
    return Math.round(firstRetryMs * 2 ** (attempts - 1) * (1 + this.random.fraction() / 4))
  }
}
