import type { SignatureHeaders } from '../../webhooks/headers.js'
import { signAsync } from '../../webhooks/sign.js'
import { digestBytes, type SignatureHash } from '../../webhooks/signature.js'
import type { VirtualClock } from '../clock.js'
import { type Duration, milliseconds } from '../duration.js'
import { unknown } from '../options.js'
import type { Random } from '../random.js'
import { DeliveryQueue, type Message } from './delivery-queue.js'
import { checkReceiver, handOver, type Receiver } from './receiver.js'

/** How one subscriber receives webhooks. */
export interface SubscribeOptions {
  /** Hash of the signatures. @default 'sha256' */
  hash?: SignatureHash
}

/** One attempt to deliver a webhook. */
export interface Delivery {
  readonly eventType: string
  /** The subscriber's URL, or `function`. */
  readonly to: string
  /** 1 for the first. */
  readonly attempt: number
  /** When it was sent, ISO 8601 in UTC. */
  readonly at: string
  /** What the subscriber answered; absent until then, and when no answer came. */
  readonly status?: number
  /** Why no answer came. */
  readonly error?: string
  /** The signature headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Exactly what was sent. */
  readonly body: string
}

/**
 * The service's webhooks. An event goes to every subscriber at once; one that answers anything but 2xx within 10 s gets it
 * again after a minute or so of the sandbox's clock, then after twice as long each time, up to six times in all.
 * The events of one payment arrive in order.
 */
export interface Webhooks {
  /** The signing secret. */
  readonly secret: string
  /** Take a new secret. For 24 hours webhooks carry a second signature, made with the old one. @returns the new secret */
  rotateSecret(): string
  /**
   * Send every event from now on to a URL, or to a function that takes the `Request` and returns the `Response`. The
   * function must not wait for `flush()` or `clock.advance()`, which wait for it.
   *
   * @throws {TypeError} It is neither.
   */
  subscribe(receiver: Receiver, options?: SubscribeOptions): { unsubscribe(): void }
  /** Every attempt, oldest first. Always the same array. */
  readonly deliveries: readonly Delivery[]
  /** Resolves when every delivery that is due was answered. Retries fall due when the clock gets there. */
  flush(): Promise<void>

  // Each of these concerns one event; several calls stand in line.
  /** The next event arrives twice. */
  duplicateNext(): void
  /** The next event arrives after the one that follows it, or on `flush()`. */
  reorderNext(): void
  /** The next event arrives so much later on the sandbox's clock: milliseconds, or a text such as `'5m'`. */
  delayNext(by: Duration): void
  /** The next event is signed with a wrong secret, each time it is sent. */
  forgeNext(): void
}

/** What is special about the delivery of one event. */
interface Twist {
  copies?: number
  delayMs?: number
  isForged?: true
  isHeld?: true
}

/** How long webhooks carry a second signature after a rotation. */
const overlapMs = milliseconds('24h')

/** The sending side of webhooks. */
export class Deliveries implements Webhooks {
  readonly deliveries: Delivery[] = []
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #queues = new Set<DeliveryQueue>()
  #secret: string
  #previous: { secret: string; expiresAt: number } | undefined
  #twists: Twist[] = []
  #held: Message[] = []

  /** @param random Its own, so that retries do not change the ids of payments. */
  constructor(clock: VirtualClock, random: Random) {
    this.#clock = clock
    this.#random = random
    this.#secret = random.id('sig')
  }

  get secret(): string {
    return this.#secret
  }

  rotateSecret(): string {
    this.#previous = { secret: this.#secret, expiresAt: this.#clock.now().getTime() + overlapMs }
    this.#secret = this.#random.id('sig')
    return this.#secret
  }

  subscribe(receiver: Receiver, options: SubscribeOptions = {}): { unsubscribe(): void } {
    checkReceiver(receiver)
    const { hash } = checkedOptions(options)
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

  async flush(): Promise<void> {
    do await this.#dispatch([])
    while ([...this.#queues].some((queue) => queue.isBusy))
  }

  duplicateNext(): void {
    this.#twists.push({ copies: 2 })
  }

  reorderNext(): void {
    this.#twists.push({ isHeld: true })
  }

  delayNext(by: Duration): void {
    this.#twists.push({ delayMs: milliseconds(by) })
  }

  forgeNext(): void {
    this.#twists.push({ isForged: true })
  }

  /** Something happened: tell every subscriber. */
  emit(event: object): void {
    const { copies = 1, delayMs, isForged = false, isHeld = false } = this.#twists.shift() ?? {}
    if (this.#queues.size === 0) return
    const message = messageOf(event, isForged)
    if (isHeld) this.#held.push(message)
    else if (delayMs !== undefined) this.#clock.schedule(delayMs, () => this.#dispatch([message]))
    else void this.#dispatch(new Array(copies).fill(message))
  }

  /** Forget what was sent, and what was going to be. The subscribers and the secret stay. */
  reset(): void {
    for (const queue of this.#queues) queue.clear()
    this.#previous = undefined
    this.#twists = []
    this.#held = []
    this.deliveries.length = 0
  }

  /** Send, and whatever was held back until now after it. Resolves when the subscribers answered. */
  async #dispatch(messages: readonly Message[]): Promise<void> {
    const all = [...messages, ...this.#held.splice(0)]
    const sending = [...this.#queues].map((queue) => {
      for (const message of all) queue.add(message)
      return queue.send()
    })
    const answered = Promise.all(sending)
    // The clock must not pass what is still on its way: a retry may follow from it.
    const present = this.#clock.schedule(0, async () => void (await answered))
    await answered
    present.cancel()
  }

  /** One attempt. It stands in the list from when it is sent. */
  async #transmit(message: Message, attempt: number, receiver: Receiver, hash: SignatureHash): Promise<boolean> {
    const { body, eventType } = message
    const headers = await this.#sign(message, hash)
    const to = typeof receiver === 'function' ? 'function' : String(receiver)
    const delivery = { eventType, to, attempt, at: this.#clock.now().toISOString(), headers, body }
    this.deliveries.push(delivery)
    const receipt = await handOver(receiver, body, headers)
    Object.assign(delivery, receipt)
    const { status = 0 } = receipt
    return status >= 200 && status < 300
  }

  #sign({ body, isForged }: Message, hash: SignatureHash): Promise<SignatureHeaders> {
    if (isForged) return signAsync(body, this.#random.id('forged'), { hash })
    const { secret, expiresAt } = this.#previous ?? { expiresAt: 0 }
    const isStillUsed = this.#clock.now().getTime() < expiresAt
    return signAsync(body, this.#secret, { hash, ...(isStillUsed && { previousSecret: secret }) })
  }
}

function messageOf(event: object, isForged: boolean): Message {
  const { eventType, payment, paymentId } = event as { eventType: string; payment?: { id: string }; paymentId?: string }
  return { eventType, subject: payment?.id ?? paymentId, body: JSON.stringify(event), isForged }
}

function checkedOptions(options: SubscribeOptions): Required<SubscribeOptions> {
  for (const name of Object.keys(options)) {
    if (name !== 'hash') throw new TypeError(unknown('subscribe option', name, ['hash']))
  }
  const { hash = 'sha256' } = options
  if (!Object.hasOwn(digestBytes, hash)) throw new TypeError(unknown('hash', hash, Object.keys(digestBytes)))
  return { hash }
}
