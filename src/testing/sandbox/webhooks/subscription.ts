import type { SignatureHash } from '../../../webhooks/signature.js'
import type { Scheduled, VirtualClock } from '../internal/clock.js'
import type { Random } from '../internal/random.js'
import type { Receiver } from './receiver.js'

/** A webhook to deliver. Every attempt sends the same bytes. */
export interface Message {
  readonly eventType: string
  readonly paymentId: string | undefined
  readonly body: string
  /** Whether to sign the first attempt with a wrong secret. */
  readonly isForged?: true | undefined
}

/** Sends a webhook and returns whether the receiver accepted it. Never throws. `attempt` starts at 1. */
type Transmit = (message: Message, attempt: number, to: Subscription) => Promise<boolean>

interface Pending {
  readonly message: Message
  attempts: number
  retry?: Scheduled | undefined
}

export const maxAttempts = 6

/** Returns the minimum delay before a retry, in milliseconds: one minute, doubled with each attempt. */
export function retryDelayMs(attempts: number): number {
  return 60_000 * 2 ** (attempts - 1)
}

/**
 * A subscriber and its webhooks. Webhooks are sent one at a time. While a webhook waits for a retry, later webhooks for
 * the same payment also wait.
 */
export class Subscription {
  /** The receiver's URL, or `function`. */
  readonly to: string
  #pending: Pending[] = []
  #current: Promise<void> | undefined

  constructor(
    readonly receiver: Receiver,
    readonly hash: SignatureHash,
    private readonly clock: VirtualClock,
    private readonly random: Random,
    private readonly transmit: Transmit,
  ) {
    this.to = typeof receiver === 'function' ? 'function' : String(receiver)
  }

  add(message: Message): void {
    this.#pending.push({ message, attempts: 0 })
  }

  get isBusy(): boolean {
    return this.#nextDue() !== undefined
  }

  /** Sends all webhooks that are due. Resolves after the last response. */
  async send(): Promise<void> {
    while (this.#current) await this.#current
    for (let next = this.#nextDue(); next; next = this.#nextDue()) {
      this.#current = this.#attempt(next)
      await this.#current
      this.#current = undefined
    }
  }

  /** Cancels all further attempts to deliver a webhook. */
  remove(message: Message): void {
    this.#removeIf((pending) => pending.message === message)
  }

  clear(): void {
    this.#removeIf(() => true)
  }

  #removeIf(isRemoved: (pending: Pending) => boolean): void {
    for (const pending of this.#pending) if (isRemoved(pending)) pending.retry?.cancel()
    this.#pending = this.#pending.filter((pending) => !isRemoved(pending))
  }

  #nextDue(): Pending | undefined {
    const blocked = new Set<string | undefined>()
    return this.#pending.find(({ message, retry }) => {
      if (retry) blocked.add(message.paymentId)
      return !blocked.has(message.paymentId)
    })
  }

  async #attempt(pending: Pending): Promise<void> {
    pending.attempts += 1
    const isAccepted = await this.transmit(pending.message, pending.attempts, this)
    if (isAccepted || pending.attempts === maxAttempts) {
      this.#removeIf((other) => other === pending)
    } else {
      pending.retry = this.clock.schedule(this.#backoff(pending.attempts), () => {
        pending.retry = undefined
        return this.send()
      })
    }
  }

  /** Returns the delay before a retry: the minimum delay plus up to 25 % at random. */
  #backoff(attempts: number): number {
    return Math.round(retryDelayMs(attempts) * (1 + this.random.fraction() / 4))
  }
}
