import { createServer as createPlainServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** A server action on one connection, for example a read or a write. */
export type Step = (connection: Connection) => Promise<void> | void

/** The server's actions on one connection, in order. Afterwards, the connection stays open and idle. */
export type Script = readonly Step[]

/** A complete request that the server received. */
export interface ReceivedRequest {
  readonly method: string
  /** The path and query as received. */
  readonly path: string
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** All bytes of the head and the body. */
  readonly raw: Buffer
  /** The index of the connection, starting at 0. */
  readonly connection: number
}

/** A TCP server that runs scripts, which can write any bytes, including invalid HTTP. */
export interface ScriptedServer {
  readonly port: number
  /** The server's base URL: `http://127.0.0.1:port`, or `https://localhost:port`. */
  readonly url: string
  /** The number of connections so far. */
  readonly connections: number
  readonly openConnections: number
  /** All complete requests, oldest first. */
  readonly requests: readonly ReceivedRequest[]
  /** The received bytes of each connection. */
  readonly received: readonly Buffer[]
  close(): Promise<void>
}

/**
 * Starts a server that runs the first script on its first connection, and so on. Later connections repeat the last
 * script.
 */
export async function startScriptedServer(scripts: readonly Script[], tls?: TlsOptions): Promise<ScriptedServer> {
  const connections: Connection[] = []
  const requests: ReceivedRequest[] = []
  const onConnection = (socket: Socket) => {
    const connection = new Connection(socket, connections.length, requests)
    connections.push(connection)
    void connection.play(scripts[Math.min(connection.number, scripts.length - 1)] ?? [])
  }
  const server: Server = tls ? createTlsServer(tls, onConnection) : createPlainServer(onConnection)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    // Without this listener, a broken connection would end the process.
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections.length
    },
    get openConnections() {
      return sockets.size
    },
    get received() {
      return connections.map((connection) => connection.received)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Returns a port on which no server listens. */
export async function closedPort(): Promise<number> {
  const server = createPlainServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The server's end of a connection. */
export class Connection {
  received = Buffer.alloc(0)
  #consumed = 0
  #onChange = () => {}

  constructor(
    readonly socket: Socket,
    readonly number: number,
    readonly requests: ReceivedRequest[],
  ) {
    socket.on('data', (bytes) => {
      this.received = Buffer.concat([this.received, bytes])
      this.#onChange()
    })
    socket.on('close', () => this.#onChange())
    socket.on('error', () => {})
  }

  async play(script: Script): Promise<void> {
    for (const step of script) {
      if (this.socket.destroyed) return
      await step(this)
    }
  }

  /** Waits until `look` returns a value or the connection closes. */
  async until<T>(look: (unread: Buffer) => T | undefined): Promise<T | undefined> {
    for (;;) {
      const found = look(this.received.subarray(this.#consumed))
      if (found !== undefined || this.socket.destroyed) return found
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
  }

  /** Waits for the next complete request. */
  async readRequest(): Promise<void> {
    const request = await this.until((unread) => parseRequest(unread, this.number))
    if (request === undefined) return
    this.#consumed += request.raw.length
    this.requests.push(request)
  }
}

/** Waits for a complete request, or for this many bytes. */
export const read =
  (bytes?: number): Step =>
  (connection) =>
    bytes === undefined
      ? connection.readRequest()
      : connection.until((unread) => (unread.length >= bytes ? true : undefined)).then(() => {})

/** Writes the given bytes, or the bytes that a function returns for the last request. */
export const write =
  (bytes: string | Uint8Array | ((request: ReceivedRequest) => string | Uint8Array)): Step =>
  ({ socket, requests }) =>
    new Promise((resolve) => {
      const chunk = typeof bytes === 'function' ? bytes(requests.at(-1) as ReceivedRequest) : bytes
      if (socket.destroyed || chunk.length === 0) resolve()
      else socket.write(chunk, () => resolve())
    })

export const wait =
  (ms: number): Step =>
  () =>
    new Promise((resolve) => setTimeout(resolve, ms))

/** Closes the connection after all bytes are sent. */
export const fin = (): Step => (connection) => void connection.socket.end()

/** Resets the connection. */
export const rst = (): Step => (connection) => void connection.socket.resetAndDestroy()

/** Waits until the client disconnects. */
export const hang = (): Step => (connection) => connection.until(() => undefined).then(() => {})

/** Repeats the steps until the connection closes. */
export const forever =
  (...steps: Script): Step =>
  async (connection) => {
    while (!connection.socket.destroyed) await connection.play(steps)
  }

/** Returns a valid response with a `Content-Length`. */
export function responseBytes(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: object } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const lines = Object.entries({
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(text),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n${text}`
}

/** Returns the head of a 200 with only these headers. */
export const okHead = (...headers: string[]) => `${['HTTP/1.1 200 OK', ...headers].join('\r\n')}\r\n\r\n`

/** Returns a script that responds to every request on the connection. */
export const respondWith = (body: unknown, options?: { status?: number; headers?: object }): Script => [
  forever(read(), write(responseBytes(body, options))),
]

function parseRequest(bytes: Buffer, connection: number): ReceivedRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [start = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const bodyStart = headEnd + 4
  const end = bodyStart + Number(headers['content-length'] ?? 0)
  if (bytes.length < end) return undefined
  const [method = '', path = ''] = start.split(' ')
  return {
    method,
    path,
    headers,
    body: bytes.subarray(bodyStart, end).toString(),
    raw: Buffer.from(bytes.subarray(0, end)),
    connection,
  }
}
