import { feedEventTypes } from '../../sandbox/internal/feed.js'

/** A change in the sandbox, or in the connection to the sandbox. */
export type Signal = 'changed' | 'open' | 'lost'

type Listener = (isConnected: boolean) => void

const reconnectMs = 1_000
const batchMs = 200

const listeners = new Set<Listener>()
let isConnected = true
let isCallPending = false

/** Calls a listener after changes, at most every 200 ms. Returns a function that ends the subscription. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function connect(): void {
  if (typeof SharedWorker === 'undefined') {
    openStream(announce)
    return
  }
  const worker = new SharedWorker('events.js', { name: 'payments-sandbox' })
  worker.onerror = () => openStream(announce)
  worker.port.onmessage = ({ data }) => announce(data)
  addEventListener('pagehide', () => worker.port.postMessage('close'))
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}

/** Calls the listeners within 200 ms. Their argument is whether the connection is open. */
export function announce(signal: Signal): void {
  if (signal !== 'changed') isConnected = signal === 'open'
  if (isCallPending) return
  isCallPending = true
  setTimeout(() => {
    isCallPending = false
    for (const listener of listeners) listener(isConnected)
  }, batchMs)
}

/**
 * Connects to the sandbox's event stream, and reconnects when the connection is lost.
 *
 * Does not request missed events, because the receivers of the signal `open` load all data again.
 */
export function openStream(emit: (signal: Signal) => void): void {
  const source = new EventSource('api/events')
  source.onopen = () => emit('open')
  source.onerror = () => {
    source.close()
    emit('lost')
    setTimeout(() => openStream(emit), reconnectMs)
  }
  for (const type of feedEventTypes) source.addEventListener(type, () => emit('changed'))
}
