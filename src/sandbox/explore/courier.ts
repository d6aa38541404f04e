import type { Disturbance, WebhookKind } from './schedule.js'
import type { VirtualTime } from './virtual-time.js'

/** A webhook that the service sent, with the bytes and the signature of its first delivery. */
interface Parcel {
  readonly number: number
  readonly type: string
  readonly url: string
  readonly headers: Headers
  readonly body: ArrayBuffer
}

/** The receiver of webhooks in the process that currently runs. Resolves to undefined if the process dies. */
export type Deliver = (request: Request) => Promise<Response | undefined>

const firstRetryMs = 60_000
const maxAttempts = 6

/** Delivers the service's webhooks to the shop, with disturbances. Retries a delivery until the shop accepts it. */
export class Courier {
  /** The types of all webhooks, in order. */
  readonly types: string[] = []
  #waiting = 0
  /** Webhooks that wait for the next request. */
  #delayed: Parcel[] = []
  /** Webhooks that wait for the next webhook. */
  #reordered: Parcel[] = []

  constructor(
    readonly time: VirtualTime,
    readonly disturbanceOf: (number: number) => Disturbance | undefined,
    readonly deliver: Deliver,
    readonly crash: (disturbance: Disturbance) => void,
    readonly log: (text: string, isDisturbed: boolean) => void,
  ) {}

  /** The number of webhooks that the shop has not accepted yet. */
  get pending(): number {
    return this.#waiting + this.#delayed.length + this.#reordered.length
  }

  /** Takes a webhook from the service. The service regards it as delivered. */
  async take(request: Request): Promise<Response> {
    const body = await request.arrayBuffer()
    const { eventType } = JSON.parse(new TextDecoder().decode(body)) as { eventType: string }
    this.types.push(eventType)
    const { url, headers } = request
    this.#start({ number: this.types.length, type: eventType, url, headers, body })
    return new Response()
  }

  /** Delivers the webhooks that were delayed past the latest request. */
  requestSent(): void {
    for (const parcel of this.#delayed.splice(0)) this.#send(parcel)
  }

  /** Delivers every webhook that still waits for something. */
  release(): void {
    for (const parcel of [...this.#delayed.splice(0), ...this.#reordered.splice(0)]) this.#send(parcel)
  }

  #start(parcel: Parcel): void {
    const disturbance = this.disturbanceOf(parcel.number)
    const kind = disturbance?.kind as WebhookKind | undefined
    const overtaken = this.#reordered.splice(0)
    switch (kind) {
      case 'delay':
        this.#delayed.push(parcel)
        break
      case 'reorder':
        this.#reordered.push(parcel)
        break
      case 'lose':
        this.log(`webhook ${parcel.type} lost`, true)
        this.#retry(parcel, 1)
        break
      case 'during-crash':
        this.#send(parcel, disturbance)
        break
      case 'duplicate':
        this.#send(parcel, undefined, 2)
        break
      default:
        this.#send(parcel)
    }
    for (const late of overtaken) this.#send(late)
  }

  #send(parcel: Parcel, crash?: Disturbance, copies = 1): void {
    this.#waiting += 1
    void this.#attempt(parcel, 1, crash, copies)
  }

  async #attempt(parcel: Parcel, attempt: number, crash?: Disturbance, copies = 1): Promise<void> {
    this.time.touch()
    const { url, headers, body, type } = parcel
    const delivered = this.deliver(new Request(url, { method: 'POST', headers, body }))
    if (crash) this.crash(crash)
    const response = await delivered.catch(() => undefined)
    this.time.touch()
    const result = response ? `answered ${response.status}` : 'not answered'
    this.log(`webhook ${type} ${result}${copies > 1 ? ', delivered twice' : ''}`, crash !== undefined || copies > 1)
    this.#waiting -= 1
    if (copies > 1) this.#send(parcel, undefined, copies - 1)
    else if (!response?.ok && attempt < maxAttempts) this.#retry(parcel, attempt)
  }

  #retry(parcel: Parcel, attempt: number): void {
    this.#waiting += 1
    // Owner 0 is the service, which survives every crash.
    this.time.schedule(0, () => void this.#attempt(parcel, attempt + 1), firstRetryMs * 2 ** (attempt - 1))
  }
}
