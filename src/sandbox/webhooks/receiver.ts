import { reasonOf } from '../reason.js'

/** Who receives webhooks: an address, or a function in this process. */
export type Receiver = string | URL | ((request: Request) => Response | Promise<Response>)

/** What became of handing over a webhook. */
export interface Receipt {
  /** Absent when no answer came. */
  status?: number
  /** Why no answer came. */
  error?: string
}

/** How long a receiver may take, in milliseconds of real time. */
const patienceMs = 10_000

/** @throws {TypeError} It is neither a function nor an address. */
export function checkReceiver(receiver: Receiver): void {
  if (typeof receiver !== 'function' && !isWebAddress(receiver)) {
    throw new TypeError('Webhooks can be sent to a function, or to an http or https URL')
  }
}

export function isWebAddress(url: string | URL): boolean {
  return URL.canParse(String(url)) && /^https?:$/.test(new URL(url).protocol)
}

/** Hand over a webhook. Never fails: the receipt says what happened. */
export async function handOver(
  receiver: Receiver,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Receipt> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
  const request = new Request(typeof receiver === 'function' ? 'https://merchant.example/webhooks' : receiver, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'manual',
    signal: patience.signal,
  })
  try {
    return { status: await Promise.race([ask(receiver, request), ended(patience.signal)]) }
  } catch (error) {
    return { error: reasonOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

async function ask(receiver: Receiver, request: Request): Promise<number> {
  if (typeof receiver === 'function') return (await receiver(request)).status
  const response = await fetch(request)
  await response.body?.cancel()
  return response.status
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
