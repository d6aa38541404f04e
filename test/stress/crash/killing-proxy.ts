import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Which byte, of all that a process sent or of all that it was answered, is the last to get through. */
export interface LastByte {
  readonly side: 'request' | 'answer'
  readonly byte: number
}

export interface KillingProxy {
  readonly url: string
  /** How many bytes got through until now. */
  readonly passed: Record<LastByte['side'], number>
  close(): Promise<void>
}

/** Passes bytes on to a server, until the last byte is through: then `kill` is called, and every connection is dropped. */
export async function startKillingProxy(
  target: string,
  last: LastByte | undefined,
  kill: () => void,
): Promise<KillingProxy> {
  const { hostname, port } = new URL(target)
  const passed = { request: 0, answer: 0 }
  const sockets = new Set<Socket>()

  function pass(side: LastByte['side'], from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      const left = last?.side === side ? last.byte - passed[side] : Number.POSITIVE_INFINITY
      const through = bytes.subarray(0, left)
      passed[side] += through.length
      if (through.length === left) return to.write(through, end)
      to.write(through)
    })
    from.on('end', () => to.end())
    // Connections break on purpose here.
    from.on('error', () => to.destroy())
  }

  function end(): void {
    kill()
    for (const socket of sockets) socket.destroy()
  }

  const server = createServer((caller) => {
    const service = connect(Number(port), hostname)
    for (const socket of [caller, service]) sockets.add(socket.setNoDelay())
    pass('request', caller, service)
    pass('answer', service, caller)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
