import { openStream, type Signal } from './live.js'

// All tabs share the connection of this SharedWorker, because a browser allows only six connections per host.
const ports = new Set<MessagePort>()
let connection: Signal | undefined
let isStarted = false

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports as [MessagePort]
  ports.add(port)
  // A tab sends only one message, when it closes.
  port.onmessage = () => ports.delete(port)
  if (connection) port.postMessage(connection)
  if (isStarted) return
  isStarted = true
  openStream((signal) => {
    if (signal !== 'changed') connection = signal
    for (const port of ports) port.postMessage(signal)
  })
})
