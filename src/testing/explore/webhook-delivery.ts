import { maxAttempts, retryDelayMs } from '../sandbox/webhooks/subscription.js'
import type { Point } from './network.js'
import type { Disturbance } from './schedule.js'
import type { VirtualTime } from './virtual-time.js'

/** The members of `Run` that `WebhookDelivery` uses. */
interface WebhookRun {
  readonly time: VirtualTime
  /** Passes a webhook to the shop's current process. Resolves to undefined if there is no response. */
  deliver(request: Request): Promise<Response | undefined>
  crash(): void
  kindAt(point: number, isOfWebhook: boolean): Disturbance['kind'] | undefined
  log(text: string, isFault?: boolean): void
}

/** Delivers a webhook to the shop once. Resolves to true if the shop accepted it. */
type Attempt = (isDuringCrash?: boolean) => Promise<boolean>

/** Delivers the service's webhooks to the shop, with disturbances. Retries a delivery until the shop accepts it. */
export class WebhookDelivery {
  /** All webhooks, in the order in which the service sent them. */
  readonly points: Point[] = []
  /** The number of webhooks that the shop has not accepted yet. */
  pending = 0
  /** Functions that send the webhooks with the disturbance `delay`. They are called after the next request. */
  readonly delayed: (() => void)[] = []
  /** Functions that send the webhooks with the disturbance `reorder`. They are called after the next webhook. */
  readonly #reordered: (() => void)[] = []

  constructor(private readonly run: WebhookRun) {}

  /** Accepts every webhook from the service immediately, because this class retries deliveries itself. */
  async take(request: Request): Promise<Response> {
    const body = await request.text()
    const { eventType: type } = JSON.parse(body) as { eventType: string }
    const number = this.points.length + 1
    this.points.push({ number, operation: type, isRead: false, key: undefined })
    const kind = this.run.kindAt(number, true)
    if (kind) this.run.log(`webhook ${type}   ${kind}`, kind !== 'during-crash')
    // Creates a new request for each delivery, because clones would share one stream, which Node.js may close when a
    // clone is garbage-collected.
    const toRequest = () => new Request(request.url, { method: 'POST', headers: request.headers, body })
    const attempt: Attempt = (isDuringCrash) => this.#attempt(type, toRequest(), isDuringCrash)
    const send = () => void this.#deliver(attempt, kind)
    this.pending += 1
    const earlier = this.#reordered.splice(0)
    if (kind === 'delay') this.delayed.push(send)
    else if (kind === 'reorder') this.#reordered.push(send)
    else send()
    for (const sendEarlier of earlier) sendEarlier()
    return new Response()
  }

  /** Sends all delayed and reordered webhooks, in case no further request or webhook follows. */
  sendAll(): void {
    for (const send of [...this.delayed.splice(0), ...this.#reordered.splice(0)]) send()
  }

  async #deliver(attempt: Attempt, kind?: Disturbance['kind']): Promise<void> {
    let isAccepted = kind !== 'lose' && (await attempt(kind === 'during-crash'))
    if (kind === 'duplicate') {
      this.pending += 1
      void this.#deliver(attempt)
    }
    for (let attempts = 1; !isAccepted && attempts < maxAttempts; attempts++) {
      await this.run.time.sleep(retryDelayMs(attempts))
      isAccepted = await attempt()
    }
    this.pending -= 1
  }

  async #attempt(type: string, request: Request, isDuringCrash = false): Promise<boolean> {
    this.run.time.touch()
    const delivered = this.run.deliver(request)
    if (isDuringCrash) this.run.crash()
    const response = await delivered.catch(() => undefined)
    this.run.time.touch()
    this.run.log(`webhook ${type}   ${response ? `response ${response.status}` : 'no response'}`)
    return response?.ok ?? false
  }
}
