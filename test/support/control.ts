import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type { ListenOptions } from '../../src/testing/index.js'
import { startSandbox } from './start-sandbox.js'

export interface ControlResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests know the shape of each response.
  readonly json: any
}

interface Init {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends a request with exactly these headers, unlike `fetch`. */
export function sendTo(url: string, { method = 'GET', headers = {}, body }: Init = {}): Promise<ControlResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      const isJson = response.headers['content-type'] === 'application/json'
      const json = isJson ? JSON.parse(text) : undefined
      resolve({ status: response.statusCode as number, headers: response.headers, text, json })
    })
    request.on('error', reject).end(body)
  })
}

/** Starts a sandbox with a stopped clock, and returns functions that call its control API. */
export async function startControl(options?: ListenOptions) {
  const started = startSandbox()
  const server = await started.sandbox.listen(options)
  onTestFinished(() => server.close())
  const api = `${server.url}/__sandbox/api`
  return {
    ...started,
    url: server.url,
    get: (path: string) => sendTo(`${api}/${path}`),
    act: (name: string, args: object = {}) =>
      sendTo(`${api}/actions/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(args),
      }),
    /** Sends a request with other headers or another method. */
    send: (path: string, init: Init) => sendTo(`${api}/${path}`, init),
    stream: (headers: Record<string, string> = {}) => openStream(`${api}/events`, headers),
  }
}

interface ServerSentEvent {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests know the shape of each event.
  readonly data: any
}

/** Opens a stream of server-sent events until the end of the test. */
function openStream(url: string, headers: Record<string, string>) {
  const request = httpRequest(url, { headers, agent: false })
  onTestFinished(() => void request.destroy())
  request.end()
  return new Promise<ReturnType<typeof readerOf>>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => resolve(readerOf(response)))
  })
}

function readerOf(response: AsyncIterable<Uint8Array> & { headers: IncomingHttpHeaders }) {
  const blocks = readBlocks(response)
  const next = async () => (await blocks.next()).value as string
  return {
    headers: response.headers,
    /** Resolves with the raw text of the next event or comment. */
    nextBlock: next,
    async next(): Promise<ServerSentEvent> {
      const fields = (await next()).split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))
      const { data, ...others } = Object.fromEntries(fields)
      return { ...others, data: JSON.parse(data) }
    },
  }
}

async function* readBlocks(chunks: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    yield* blocks
  }
}
