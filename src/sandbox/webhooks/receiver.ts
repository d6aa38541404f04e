import { messageOf } from '../internal/exchange.js'

/** The receiver of webhooks: a URL, or a function in this process. */
export type Receiver = string | URL | ((request: Request) => Response | Promise<Response>)

/** The result of a delivery. */
export interface Receipt {
  /** Status of the response. Absent if no response arrived. */
  status?: number
  /** The reason that no response arrived. */
  error?: string
}

/** Time limit for the receiver's response, in milliseconds of real time. */
const timeoutMs = 10_000

export function isWebAddress(url: string | URL): boolean {
  return URL.canParse(String(url)) && /^https?:$/.test(new URL(url).protocol)
}

/** Delivers a webhook. Never throws. */
export async function handOver(
  receiver: Receiver,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Receipt> {
  const timeout = new AbortController()
  const { signal } = timeout
  const timer = setTimeout(() => timeout.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
  const request = new Request(typeof receiver === 'function' ? 'https://merchant.example/webhooks' : receiver, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'manual',
    signal,
  })
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  try {
    return { status: await Promise.race([send(receiver, request), aborted]) }
  } catch (error) {
    return { error: messageOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

async function send(receiver: Receiver, request: Request): Promise<number> {
  if (typeof receiver === 'function') return (await receiver(request)).status
  const response = await fetch(request)
  await response.body?.cancel()
  return response.status
}
