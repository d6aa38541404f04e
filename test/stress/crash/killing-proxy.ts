import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The number of the last byte to forward in one direction. */
export interface LastByte {
  readonly side: 'request' | 'answer'
  readonly byte: number
}

export interface KillingProxy {
  readonly url: string
  /** The number of bytes forwarded so far in each direction. */
  readonly passed: Record<LastByte['side'], number>
  close(): Promise<void>
}

/** Starts a proxy that forwards bytes up to `last`, then calls `kill` and closes all connections. */
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
    // Without this listener, a broken connection would end the process.
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
