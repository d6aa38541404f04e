import { openStream, type StreamMessage } from './stream.js'

// All tabs share the connection of this SharedWorker, because a browser allows only six connections per host.
const ports = new Set<MessagePort>()
let state: StreamMessage | undefined
let isStarted = false

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports as [MessagePort]
  ports.add(port)
  // A tab sends a message only when it closes.
  port.onmessage = () => ports.delete(port)
  if (state) port.postMessage(state)
  if (isStarted) return
  isStarted = true
  openStream((message) => {
    if (typeof message === 'string') state = message
    for (const port of ports) port.postMessage(message)
  })
})
