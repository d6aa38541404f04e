import type { WebhookVerificationError } from '../errors.js'

export interface RequestParts {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly body: BodyInit | undefined
  readonly signal?: AbortSignal
}

/** Creates a Fetch request. The host in its URL is a placeholder, which the webhook handler ignores. */
export function createRequest({ method = 'POST', path, headers, body, signal }: RequestParts): Request {
  const fetchHeaders = new Headers()
  for (const [name, values] of Object.entries(headers)) {
    // Skips HTTP/2 pseudo-headers, such as `:method`, which `Headers` rejects.
    if (name.startsWith(':')) continue
    for (const value of [values].flat()) {
      // Replaces characters outside Latin-1, which `Headers` rejects.
      if (typeof value === 'string') fetchHeaders.append(name, value.replace(/[^\0-\xff]/g, '?'))
    }
  }
  // `Request` rejects these methods. The request is created as a GET, and gets its real method below, so the handler
  // responds 405.
  const isForbidden = /^(connect|trace|track)$/i.test(method)
  const hasBody = !isForbidden && method !== 'GET' && method !== 'HEAD'
  const request = new Request(`http://localhost${path?.startsWith('/') ? path : ''}`, {
    method: isForbidden ? 'GET' : method,
    headers: fetchHeaders,
    body: hasBody ? body : undefined,
    signal,
    duplex: 'half',
  } as RequestInit)
  return isForbidden ? Object.defineProperty(request, 'method', { value: method }) : request
}

/** Returns a stream that fails when it is read, for a body whose raw bytes are unavailable. */
export function failingBody(error: WebhookVerificationError): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(error) })
}
