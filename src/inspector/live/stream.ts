import { feedEventTypes, type SandboxEventType } from '../../sandbox/internal/feed.js'

export type EventType = SandboxEventType | 'open' | 'lost'

/** A change in the sandbox, or in the connection to the sandbox. */
export interface LiveEvent {
  readonly type: EventType
  readonly paymentId?: string
}

const reconnectMs = 1_000

/**
 * Connects to the sandbox's event stream, and reconnects when the connection is lost.
 *
 * Does not request missed events, because the receivers of an `open` event reload all data.
 */
export function openStream(emit: (event: LiveEvent) => void): void {
  const source = new EventSource('api/events')
  source.onopen = () => emit({ type: 'open' })
  source.onerror = () => {
    source.close()
    emit({ type: 'lost' })
    setTimeout(() => openStream(emit), reconnectMs)
  }
  for (const type of feedEventTypes) {
    source.addEventListener(type, (event) => emit({ ...JSON.parse(event.data), type }))
  }
}
