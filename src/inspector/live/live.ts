import { type LiveEvent, openStream } from './stream.js'

type Listener = (events: readonly LiveEvent[]) => void

const batchMs = 200

const listeners = new Set<Listener>()
let batch: LiveEvent[] = []

/** Calls a listener with new events, at most every 200 ms. Returns a function that ends the subscription. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function connect(): void {
  if (typeof SharedWorker === 'undefined') {
    openStream(receive)
    return
  }
  const worker = new SharedWorker('events.js', { name: 'payments-sandbox' })
  worker.onerror = () => openStream(receive)
  worker.port.onmessage = ({ data }) => receive(data)
  addEventListener('pagehide', () => worker.port.postMessage('close'))
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

function receive(event: LiveEvent): void {
  if (batch.length === 0) setTimeout(flush, batchMs)
  batch.push(event)
}

function flush(): void {
  const events = batch
  batch = []
  for (const listener of listeners) listener(events)
}
