import { feedEventTypes, type SandboxEventType } from '../../sandbox/internal/feed.js'

export type EventType = SandboxEventType

export interface SandboxEvent {
  type: EventType
  at: string
  [field: string]: unknown
}

export type StreamMessage = 'open' | 'lost' | SandboxEvent

const reconnectMs = 1_000

/**
 * Connects to the sandbox's event stream, and reconnects when the connection is lost.
 *
 * The stream does not resume after the last event, because receivers of `open` reload all data.
 */
export function openStream(emit: (message: StreamMessage) => void): void {
  const source = new EventSource('api/events')
  source.onopen = () => emit('open')
  source.onerror = () => {
    source.close()
    emit('lost')
    setTimeout(() => openStream(emit), reconnectMs)
  }
  for (const type of feedEventTypes) {
    source.addEventListener(type, (event) => emit({ ...JSON.parse(event.data), type }))
  }
}
