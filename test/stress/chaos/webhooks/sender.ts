import { setTimeout as sleep } from 'node:timers/promises'
import { sampleEvent } from '../../../../src/testing/index.js'
import { sign } from '../../../../src/webhooks/index.js'
import type { Processes } from '../processes.js'
import { secret } from './settings.js'

/** A signed webhook for an event. */
export interface Delivery {
  readonly event: string
  readonly body: string
  readonly headers: Record<string, string>
}

/** Creates deliveries in random order: at least one per event, and duplicates. Four events belong to one payment. */
export function createDeliveries(events: number, deliveries: number): Delivery[] {
  const sample = sampleEvent('PAYMENT.STATUS')
  const distinct = Array.from({ length: events }, (_, index): Delivery => {
    const event = String(index)
    const payment = { ...sample.payment, id: `pay_${index % Math.ceil(events / 4)}`, orderId: event }
    const body = JSON.stringify({ ...sample, payment })
    return { event, body, headers: { 'content-type': 'application/json', ...sign(body, secret) } }
  })
  const random = () => distinct[Math.floor(Math.random() * events)] as Delivery
  const all = Array.from({ length: deliveries }, (_, index) => distinct[index] ?? random())
  return all
    .map((delivery) => ({ delivery, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ delivery }) => delivery)
}

/** Sends deliveries to random receivers until each gets a 200. */
export class Sender {
  /** The number of responses by status. `lost` counts requests without a response. */
  readonly statuses: Record<string, number> = {}
  readonly events: ReadonlySet<string>
  readonly #queue: Delivery[]
  readonly #receivers: Processes
  /** The number of deliveries without a 200. */
  open: number

  constructor(deliveries: Delivery[], receivers: Processes) {
    this.events = new Set(deliveries.map(({ event }) => event))
    this.#queue = [...deliveries]
    this.#receivers = receivers
    this.open = deliveries.length
  }

  /** Sends deliveries until each gets a 200, or until the time limit. */
  async run(concurrency: number, limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs
    const work = async () => {
      while (this.open > 0 && performance.now() < deadline) {
        const delivery = this.#receivers.running.length > 0 ? this.#queue.shift() : undefined
        if (delivery) await this.#send(delivery)
        else await sleep(20)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, work))
  }

  async #send(delivery: Delivery): Promise<void> {
    const { body, headers } = delivery
    const receiver = this.#receivers.random()
    const status = await fetch(`http://127.0.0.1:${receiver?.port}/`, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(10_000),
    }).then(
      (response) => response.text().then(() => response.status),
      () => 'lost',
    )
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    if (status === 200) this.open--
    else setTimeout(() => this.#queue.push(delivery), 100 + Math.random() * 400)
  }
}
