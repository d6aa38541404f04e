import * as z from 'zod'
import { findNodeCrypto } from '../../../core/internal/bytes.js'
import { optionsOf } from '../../../core/internal/validation.js'
import { type Diagnosis, diagnose } from '../../../webhooks/diagnose.js'
import type { SignatureHeaders } from '../../../webhooks/headers.js'
import { sign, signAsync } from '../../../webhooks/sign.js'
import { type SignatureHash, signatureHashes } from '../../../webhooks/signature.js'
import { type Duration, milliseconds, type VirtualClock } from '../internal/clock.js'
import { ServiceError } from '../internal/exchange.js'
import type { Notify } from '../internal/feed.js'
import { maxTotalLength } from '../internal/mask.js'
import { requireOptions } from '../internal/options.js'
import { Random } from '../internal/random.js'
import { isWebAddress } from '../internal/web-address.js'
import type { Delivery } from '../store/records.js'
import { deliver, type Receiver } from './receiver.js'
import { type Message, Subscription } from './subscription.js'

/** Options for one subscriber. */
export interface SubscribeOptions {
  /** Hash function of the signatures. @default 'sha256' */
  hash?: SignatureHash
}

const subscribeOptions = optionsOf<SubscribeOptions>({ hash: z.enum(signatureHashes) })

type DeliveryFault = { copies?: number; delayMs?: number; isForged?: true; isHeld?: true }

const secretOverlapMs = milliseconds('24h')

/**
 * The service's webhooks. Every subscriber receives each event immediately, and the events for one payment in order.
 *
 * Without a 2xx response within 10 s, the service retries after about a minute on the sandbox's clock. The delay
 * doubles with each retry, and there are at most six attempts.
 */
export type Webhooks = Omit<
  WebhookSender,
  'emit' | 'restore' | 'reset' | 'subscriptions' | 'unsubscribe' | 'deliveriesOf' | 'delivery' | 'diagnose'
>

export class WebhookSender {
  readonly #deliveries: Delivery[] = []
  /** The message and the subscription of each delivery. Deliveries from a snapshot have no subscription. */
  #sent = new WeakMap<Delivery, { message: Message; subscription?: Subscription }>()
  /** The deliveries that have a response body, in the order of their responses. */
  #withBody: { responseBody?: string }[] = []
  #totalLength = 0
  readonly #clock: VirtualClock
  readonly #random: Random
  /** Delivery IDs are random even with a seed, because the order of deliveries depends on the timing of responses. */
  readonly #ids = new Random(Math.random())
  readonly #notify: Notify
  readonly #subscriptions = new Set<Subscription>()
  #secret: string
  #previous: { secret: string; expiresAt: number } | undefined
  #deliveryFaults: DeliveryFault[] = []
  #held: Message[] = []

  /**
   * @param random A separate source of random numbers, so that webhook retries do not change payment IDs.
   * @internal
   */
  constructor(clock: VirtualClock, random: Random, notify: Notify) {
    this.#clock = clock
    this.#random = random
    this.#notify = notify
    this.#secret = random.id('sig')
  }

  /** The signing secret. */
  get secret(): string {
    return this.#secret
  }

  /** All attempts to deliver webhooks, oldest first. The array is live: later attempts are appended to it. */
  get deliveries(): readonly Delivery[] {
    return this.#deliveries
  }

  /** Returns the attempts to deliver the events of a payment, oldest first. */
  deliveriesOf(paymentId: string): Delivery[] {
    return this.#deliveries.filter((delivery) => this.#sent.get(delivery)?.message.paymentId === paymentId)
  }

  /** Creates a new secret. For 24 hours, webhooks are also signed with the old secret. @returns the new secret */
  rotateSecret(): string {
    this.#previous = { secret: this.#secret, expiresAt: this.#clock.now().getTime() + secretOverlapMs }
    this.#secret = this.#random.id('sig')
    this.#notify('key')
    return this.#secret
  }

  /**
   * Sends every future event to a URL, or to a function that receives the `Request` and returns the `Response`. The
   * function must not wait for `flush()` or `clock.advance()`, because both wait until the function has finished.
   *
   * @throws {TypeError} The receiver is not a URL or function, or an option is invalid.
   */
  subscribe(receiver: Receiver, options: SubscribeOptions = {}): { unsubscribe(): void } {
    if (typeof receiver !== 'function' && !isWebAddress(receiver)) {
      throw new TypeError('The webhook receiver must be a function, or an http or https URL without credentials')
    }
    const { hash = 'sha256' } = requireOptions('webhooks.subscribe', options, subscribeOptions)
    const subscription = this.#createSubscription(receiver, hash)
    this.#subscriptions.add(subscription)
    return { unsubscribe: () => this.#end(subscription) }
  }

  #createSubscription(receiver: Receiver, hash: SignatureHash): Subscription {
    return new Subscription(receiver, hash, this.#clock, this.#random, (...sent) => this.#transmit(...sent))
  }

  /** The receivers of every event. @internal */
  get subscriptions(): readonly Subscription[] {
    return [...this.#subscriptions]
  }

  /** Ends the subscriptions of a URL. Throws if there is none. */
  unsubscribe(url: string): void {
    const ended = [...this.#subscriptions].filter(({ to }) => to === url)
    if (ended.length === 0) throw new ServiceError(404, 'SubscriptionNotFound', 'This URL receives no webhooks')
    for (const subscription of ended) this.#end(subscription)
  }

  #end(subscription: Subscription): void {
    this.#subscriptions.delete(subscription)
    subscription.clear()
  }

  /**
   * Sends the body of a delivery to the same subscriber again, with a new signature. Resolves after the response. If
   * the delivery was waiting for a retry and is now accepted, the payment's later events are sent.
   *
   * @throws {Error} There is no delivery with this ID, or its subscriber was a function of another sandbox.
   */
  async redeliver(id: string): Promise<void> {
    const delivery = this.delivery(id)
    const { to, attempt } = delivery
    const { message, subscription } = this.#sent.get(delivery) as { message: Message; subscription?: Subscription }
    if (!subscription && to === 'function') {
      throw new Error(
        'The subscriber was a function, which snapshots do not contain: only deliveries to a URL can be redelivered',
      )
    }
    const current = subscription ?? this.subscriptions.find((each) => each.to === to)
    const isAccepted = await this.#transmit(message, attempt + 1, current ?? this.#createSubscription(to, 'sha256'))
    if (!isAccepted || !subscription) return
    subscription.remove(message)
    void this.#dispatch([])
  }

  delivery(id: string): Delivery {
    const delivery = this.#deliveries.find((each) => each.id === id)
    if (!delivery) throw new ServiceError(404, 'DeliveryNotFound', 'There is no delivery with this ID')
    return delivery
  }

  /** Checks whether a delivery was signed with the given secret. Tries all hash functions. */
  diagnose(id: string, secret: string): Diagnosis {
    const { body, headers } = this.delivery(id)
    const results = signatureHashes.map((hash) => diagnose(body, headers, secret, { hash }))
    return results.find(({ code }) => code !== 'wrong-hash') ?? (results[0] as Diagnosis)
  }

  /** Resolves when all due deliveries have a response. Retries become due on the sandbox's clock. */
  async flush(): Promise<void> {
    do await this.#dispatch([])
    while ([...this.#subscriptions].some(({ isBusy }) => isBusy))
  }

  // Each call of the following methods affects one event: the first call affects the next event, the second call the
  // event after it.

  /** Delivers the next event twice. */
  duplicateNext(): void {
    this.#deliveryFaults.push({ copies: 2 })
  }

  /** Delivers the next two events in reverse order. If no second event follows, `flush()` delivers the first one. */
  reorderNext(): void {
    this.#deliveryFaults.push({ isHeld: true })
  }

  /** Delays the next event on the sandbox's clock, by milliseconds or a string such as `'5m'`. */
  delayNext(by: Duration): void {
    this.#deliveryFaults.push({ delayMs: milliseconds(by) })
  }

  /** Signs the first delivery of the next event with a wrong secret. Retries have a valid signature. */
  forgeNext(): void {
    this.#deliveryFaults.push({ isForged: true })
  }

  emit(event: object): void {
    const { copies = 1, delayMs, isForged, isHeld = false } = this.#deliveryFaults.shift() ?? {}
    if (this.#subscriptions.size === 0) return
    const message = { ...toMessage(event), isForged }
    if (isHeld) this.#held.push(message)
    else if (delayMs !== undefined) this.#clock.schedule(delayMs, () => this.#dispatch([message]))
    else void this.#dispatch(new Array(copies).fill(message))
  }

  /** Replaces all deliveries and removes all pending webhooks. Keeps the subscribers and the secrets. */
  restore(deliveries: readonly Delivery[]): void {
    for (const subscription of this.#subscriptions) subscription.clear()
    this.#deliveryFaults = []
    this.#held = []
    this.#deliveries.length = 0
    this.#sent = new WeakMap()
    this.#withBody = []
    this.#totalLength = 0
    for (const delivery of deliveries) {
      const copy = { ...delivery }
      this.#deliveries.push(copy)
      this.#sent.set(copy, { message: { ...toMessage(JSON.parse(copy.body)), body: copy.body } })
      this.#limitBodies(copy)
    }
  }

  /** Removes the oldest response bodies if all bodies together are too long. */
  #limitBodies(delivery: { responseBody?: string }): void {
    if (delivery.responseBody === undefined) return
    this.#withBody.push(delivery)
    this.#totalLength += delivery.responseBody.length
    while (this.#totalLength > maxTotalLength) {
      const oldest = this.#withBody.shift()
      this.#totalLength -= oldest?.responseBody?.length ?? 0
      delete oldest?.responseBody
    }
  }

  /** Removes all deliveries, all pending webhooks and the previous signing secret. Keeps the subscribers. */
  reset(): void {
    this.restore([])
    this.#previous = undefined
  }

  /**
   * Sends the given webhooks, and then the webhooks that `reorderNext` delayed. Resolves when every subscriber has
   * responded.
   */
  async #dispatch(messages: readonly Message[]): Promise<void> {
    const all = [...messages, ...this.#held.splice(0)]
    const sending = [...this.#subscriptions].map((subscription) => {
      for (const message of all) subscription.add(message)
      return subscription.send()
    })
    const responded = Promise.all(sending)
    // Makes the clock wait for the responses, because they may schedule retries.
    const task = this.#clock.schedule(0, async () => void (await responded))
    await responded
    task.cancel()
  }

  async #transmit(message: Message, attempt: number, subscription: Subscription): Promise<boolean> {
    const { body, eventType, paymentId } = message
    const { receiver, hash, to } = subscription
    const sent = this.#sent
    const headers = await this.#sign(body, hash, message.isForged === true && attempt === 1)
    // If all deliveries were replaced while this webhook was being signed, the webhook is no longer pending.
    if (sent !== this.#sent) return true
    const id = this.#ids.id('delivery')
    const delivery = { id, eventType, to, attempt, at: this.#clock.now().toISOString(), headers, body }
    const notify = () => this.#notify('delivery', { deliveryId: id, paymentId })
    this.#deliveries.push(delivery)
    sent.set(delivery, { message, subscription })
    notify()
    const receipt = await deliver(receiver, body, headers)
    this.#limitBodies(Object.assign(delivery, receipt))
    notify()
    const { status = 0 } = receipt
    return status >= 200 && status < 300
  }

  #sign(body: string, hash: SignatureHash, isForged: boolean): Promise<SignatureHeaders> {
    if (isForged) return signWith(body, this.#random.id('forged'), { hash })
    const { secret, expiresAt } = this.#previous ?? { expiresAt: 0 }
    const isOverlapping = this.#clock.now().getTime() < expiresAt
    return signWith(body, this.#secret, { hash, ...(isOverlapping && { previousSecret: secret }) })
  }
}

/** Prefers to sign without Web Crypto, because its threads make the order of events differ between runs. */
const signWith: typeof signAsync = async (...given) => (findNodeCrypto() ? sign(...given) : signAsync(...given))

function toMessage(event: object): Message {
  const { eventType, payment, paymentId } = event as { eventType: string; payment?: { id: string }; paymentId?: string }
  return { eventType, paymentId: payment?.id ?? paymentId, body: JSON.stringify(event) }
}
