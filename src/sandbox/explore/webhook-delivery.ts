import { isWebhook } from './schedule.js'
import type { VirtualTime } from './virtual-time.js'

const firstRetryMs = 60_000
const maxAttempts = 6

/** The methods of a run that its webhook delivery calls. */
interface WebhookRun {
  /** The number of requests so far. */
  readonly requests: number
  /** Passes a webhook to the current process. Resolves to undefined without a response. */
  deliver(request: Request): Promise<Response | undefined>
  crash(): void
  kindAt(number: number, isKind: (kind: string) => boolean): string | undefined
  log(text: string, isFault: boolean): void
}

/** Delivers the service's webhooks to the shop, with disturbances. Retries a delivery until the shop accepts it. */
export class WebhookDelivery {
  /** The types of all webhooks, in order. */
  readonly types: string[] = []
  /** The number of webhooks that the shop has not accepted yet. */
  pending = 0
  /** Webhooks that wait for a request after the one with this number. */
  #delayed: { after: number; send: () => void }[] = []
  /** Webhooks that wait for the next webhook. */
  #reordered: (() => void)[] = []

  constructor(
    readonly time: VirtualTime,
    readonly run: WebhookRun,
  ) {}

  /** Takes a webhook from the service. The service regards it as delivered. */
  async take(request: Request): Promise<Response> {
    const body = await request.text()
    const { eventType } = JSON.parse(body) as { eventType: string }
    // Clones would share a stream, which Node.js may close when it removes one of them from memory.
    const webhook = () => new Request(request.url, { method: 'POST', headers: request.headers, body })
    this.types.push(eventType)
    const kind = this.run.kindAt(this.types.length, isWebhook)
    if (kind) this.run.log(`webhook ${eventType}   ${kind}`, kind !== 'during-crash')
    const overtaken = this.#reordered.splice(0)
    const send = () => this.#attempt(eventType, webhook, 1, kind === 'during-crash')
    this.pending += 1
    if (kind === 'delay') this.#delayed.push({ after: this.run.requests, send })
    else if (kind === 'reorder') this.#reordered.push(send)
    else if (kind === 'lose') this.#retry(eventType, webhook, 1)
    else {
      const sent = send()
      if (kind === 'duplicate') {
        this.pending += 1
        void sent.then(send)
      }
    }
    for (const sendLate of overtaken) sendLate()
    return new Response()
  }

  /** Delivers the webhooks that were delayed until after this request. */
  requestSent(number: number): void {
    const due = this.#delayed.filter(({ after }) => after < number)
    this.#delayed = this.#delayed.filter(({ after }) => after >= number)
    for (const { send } of due) send()
  }

  /** Delivers every webhook that still waits for a request or a webhook. */
  release(): void {
    this.requestSent(Number.POSITIVE_INFINITY)
    for (const send of this.#reordered.splice(0)) send()
  }

  async #attempt(type: string, webhook: () => Request, attempt: number, crashes = false): Promise<void> {
    this.time.touch()
    const delivered = this.run.deliver(webhook())
    if (crashes) this.run.crash()
    const response = await delivered.catch(() => undefined)
    this.time.touch()
    this.run.log(`webhook ${type}   ${response ? `response ${response.status}` : 'no response'}`, false)
    if (response?.ok || attempt === maxAttempts) this.pending -= 1
    else this.#retry(type, webhook, attempt)
  }

  #retry(type: string, webhook: () => Request, attempt: number): void {
    this.time.schedule(() => void this.#attempt(type, webhook, attempt + 1), firstRetryMs * 2 ** (attempt - 1))
  }
}
