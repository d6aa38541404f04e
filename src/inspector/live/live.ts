import { openStream, type SandboxEvent, type StreamMessage } from './stream.js'

type Listener = (events: readonly SandboxEvent[]) => void

const batchMs = 200

const listeners = new Set<Listener>()
const connectionListeners = new Set<() => void>()
let batch: SandboxEvent[] = []

/** Whether the stream is connected. Undefined before the first attempt. */
export let isConnected: boolean | undefined

/**
 * Subscribes a listener to new events, which it receives at most every 200 ms. Each new connection adds a `reset`
 * event. Returns a function that ends the subscription.
 */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function onConnection(listener: () => void): () => void {
  connectionListeners.add(listener)
  return () => connectionListeners.delete(listener)
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

function receive(message: StreamMessage): void {
  if (typeof message !== 'string') {
    add(message)
    return
  }
  isConnected = message === 'open'
  for (const listener of connectionListeners) listener()
  if (isConnected) add({ type: 'reset', at: '' })
}

function add(event: SandboxEvent): void {
  if (batch.length === 0) setTimeout(flush, batchMs)
  batch.push(event)
}

function flush(): void {
  const events = batch
  batch = []
  for (const listener of listeners) listener(events)
}
