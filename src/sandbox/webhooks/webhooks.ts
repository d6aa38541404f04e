import { oneOf } from '../../internal/options.js'
import type { SignatureHeaders } from '../../webhooks/headers.js'
import { signAsync } from '../../webhooks/sign.js'
import type { SignatureHash } from '../../webhooks/signature.js'
import { type Duration, milliseconds, type VirtualClock } from '../internal/clock.js'
import { requireOptions } from '../internal/options.js'
import type { Random } from '../internal/random.js'
import { DeliveryQueue, type Message } from './delivery-queue.js'
import { handOver, isWebAddress, type Receiver } from './receiver.js'

/** Options of one subscriber. */
export interface SubscribeOptions {
  /** Hash of the signatures. @default 'sha256' */
  hash?: SignatureHash
}

/** One attempt to deliver a webhook. */
export interface Delivery {
  readonly eventType: string
  /** The subscriber's URL, or `function`. */
  readonly to: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Time of sending, as ISO 8601 in UTC. */
  readonly at: string
  /** Status of the subscriber's response. Absent until a response arrives. */
  readonly status?: number
  /** The reason that no response arrived. */
  readonly error?: string
  /** The signature headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body that was sent. */
  readonly body: string
}

/** A fault in the delivery of one event. */
type Disturbance = { copies?: number; delayMs?: number; isForged?: true; isHeld?: true }

/** Milliseconds after a rotation during which webhooks are also signed with the previous secret. */
const overlapMs = milliseconds('24h')

/**
 * The service's webhooks. Every subscriber receives each event immediately. Without a 2xx response within 10 s, the service
 * retries after about a minute of the sandbox's clock, and doubles the delay for each further retry. It makes at most six
 * attempts. The events of one payment arrive in order.
 */
export type Webhooks = Omit<WebhookSender, 'emit' | 'reset'>

/** Sends webhooks. */
export class WebhookSender {
  readonly #deliveries: Delivery[] = []
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #queues = new Set<DeliveryQueue>()
  #secret: string
  #previous: { secret: string; expiresAt: number } | undefined
  #disturbances: Disturbance[] = []
  #held: Message[] = []

  /**
   * @param random A separate source of random numbers, so that retries do not change the ids of payments.
   * @internal
   */
  constructor(clock: VirtualClock, random: Random) {
    this.#clock = clock
    this.#random = random
    this.#secret = random.id('sig')
  }

  /** The signing secret. */
  get secret(): string {
    return this.#secret
  }

  /** All attempts to deliver webhooks, oldest first. Every access returns the same array. */
  get deliveries(): readonly Delivery[] {
    return this.#deliveries
  }

  /** Creates a new secret. For 24 hours, webhooks are also signed with the old secret. @returns the new secret */
  rotateSecret(): string {
    this.#previous = { secret: this.#secret, expiresAt: this.#clock.now().getTime() + overlapMs }
    this.#secret = this.#random.id('sig')
    return this.#secret
  }

  /**
   * Sends every future event to a URL, or to a function that receives the `Request` and returns the `Response`. The
   * function must not wait for `flush()` or `clock.advance()`, because both wait for it.
   *
   * @throws {TypeError} The receiver is not a URL or function, or an option is invalid.
   */
  subscribe(receiver: Receiver, options: SubscribeOptions = {}): { unsubscribe(): void } {
    if (typeof receiver !== 'function' && !isWebAddress(receiver)) {
      throw new TypeError('The receiver of webhooks must be a function, or an http or https URL')
    }
    const rules = { hash: oneOf('sha256', 'sha384', 'sha512') }
    const { hash = 'sha256' } = requireOptions<SubscribeOptions>('webhooks.subscribe', options, rules)
    const queue = new DeliveryQueue(this.#clock, this.#random, (message, attempt) =>
      this.#transmit(message, attempt, receiver, hash),
    )
    this.#queues.add(queue)
    return {
      unsubscribe: () => {
        this.#queues.delete(queue)
        queue.clear()
      },
    }
  }

  /** Resolves when all due deliveries have a response. Retries become due on the sandbox's clock. */
  async flush(): Promise<void> {
    do await this.#dispatch([])
    while ([...this.#queues].some((queue) => queue.isBusy))
  }

  // Each call of the following methods affects one event: the first call affects the next event, the second call the one
  // after it.

  /** Delivers the next event twice. */
  duplicateNext(): void {
    this.#disturbances.push({ copies: 2 })
  }

  /** Delivers the next two events in reverse order. If there is only one event, `flush()` delivers it. */
  reorderNext(): void {
    this.#disturbances.push({ isHeld: true })
  }

  /** Delays the next event on the sandbox's clock, by milliseconds or a string such as `'5m'`. */
  delayNext(by: Duration): void {
    this.#disturbances.push({ delayMs: milliseconds(by) })
  }

  /** Signs the next event with a wrong secret, on every attempt. */
  forgeNext(): void {
    this.#disturbances.push({ isForged: true })
  }

  /** Sends an event to every subscriber. */
  emit(event: object): void {
    const { copies = 1, delayMs, isForged = false, isHeld = false } = this.#disturbances.shift() ?? {}
    if (this.#queues.size === 0) return
    const message = messageOf(event, isForged)
    if (isHeld) this.#held.push(message)
    else if (delayMs !== undefined) this.#clock.schedule(delayMs, () => this.#dispatch([message]))
    else void this.#dispatch(new Array(copies).fill(message))
  }

  /** Removes all deliveries and all pending webhooks. Keeps the subscribers and the secret. */
  reset(): void {
    for (const queue of this.#queues) queue.clear()
    this.#previous = undefined
    this.#disturbances = []
    this.#held = []
    this.#deliveries.length = 0
  }

  /** Sends messages, and then the messages held by `reorderNext`. Resolves when every subscriber has responded. */
  async #dispatch(messages: readonly Message[]): Promise<void> {
    const all = [...messages, ...this.#held.splice(0)]
    const sending = [...this.#queues].map((queue) => {
      for (const message of all) queue.add(message)
      return queue.send()
    })
    const responded = Promise.all(sending)
    // Makes the clock wait for the responses, because they may schedule retries.
    const present = this.#clock.schedule(0, async () => void (await responded))
    await responded
    present.cancel()
  }

  async #transmit(message: Message, attempt: number, receiver: Receiver, hash: SignatureHash): Promise<boolean> {
    const { body, eventType } = message
    const headers = await this.#sign(message, hash)
    const to = typeof receiver === 'function' ? 'function' : String(receiver)
    const delivery = { eventType, to, attempt, at: this.#clock.now().toISOString(), headers, body }
    this.#deliveries.push(delivery)
    const receipt = await handOver(receiver, body, headers)
    Object.assign(delivery, receipt)
    const { status = 0 } = receipt
    return status >= 200 && status < 300
  }

  #sign({ body, isForged }: Message, hash: SignatureHash): Promise<SignatureHeaders> {
    if (isForged) return signAsync(body, this.#random.id('forged'), { hash })
    const { secret, expiresAt } = this.#previous ?? { expiresAt: 0 }
    const isOverlapping = this.#clock.now().getTime() < expiresAt
    return signAsync(body, this.#secret, { hash, ...(isOverlapping && { previousSecret: secret }) })
  }
}

function messageOf(event: object, isForged: boolean): Message {
  const { eventType, payment, paymentId } = event as { eventType: string; payment?: { id: string }; paymentId?: string }
  return { eventType, subject: payment?.id ?? paymentId, body: JSON.stringify(event), isForged }
}
