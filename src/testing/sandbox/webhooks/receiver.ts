import { causeMessageOf } from '../internal/exchange.js'
import { truncated } from '../internal/mask.js'
import type { Delivery } from '../store/records.js'

/** The receiver of webhooks: a URL, or a function in this process. */
export type Receiver = string | URL | ((request: Request) => Response | Promise<Response>)

/** The result of a delivery. */
export type Receipt = Pick<Delivery, 'status' | 'responseBody' | 'error'>

/** Time limit for the receiver's response, in milliseconds of real time. */
const timeoutMs = 10_000

/** Delivers a webhook to its receiver. Never throws. */
export async function deliver(
  receiver: Receiver,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Receipt> {
  const timeout = new AbortController()
  const { signal } = timeout
  const timer = setTimeout(() => timeout.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  try {
    const request = new Request(typeof receiver === 'function' ? 'https://merchant.example/webhooks' : receiver, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal,
    })
    const response = await Promise.race([send(receiver, request), aborted])
    const { status } = response
    const responseBody = await readStart(response, aborted)
    return { status, ...(responseBody !== '' && { responseBody }) }
  } catch (error) {
    return { error: causeMessageOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

async function send(receiver: Receiver, request: Request): Promise<Response> {
  if (typeof receiver !== 'function') return fetch(request)
  const response = await receiver(request)
  // Reads a clone of the response, because the subscriber function may use the response again.
  return response.body && !response.bodyUsed ? response.clone() : response
}

async function readStart({ body, bodyUsed }: Response, aborted: Promise<never>): Promise<string> {
  if (!body || bodyUsed) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (truncated(text) === text) {
      const { done, value } = await Promise.race([reader.read(), aborted])
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    // Ignores an incomplete body, because the status alone decides whether the delivery succeeded.
  }
  // Does not wait, because the body of a clone is cancelled only together with the original body.
  reader.cancel().catch(() => {})
  return truncated(text)
}
