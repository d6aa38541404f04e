import { expect } from 'vitest'
import { type ApiVersion, type ClientOptions, PaymentsClient } from '../../src/index.js'

export const apiKey = 'a-key-for-tests'

/** It has a path of its own, which every request must keep. */
export const baseUrl = 'https://payments.example.com/api'

/** A request as it leaves the client. */
export interface SentRequest {
  /** Method and address below the base URL, e.g. `GET /payments?limit=2`. */
  readonly line: string
  readonly headers: Record<string, string>
  /** The text of the body; absent where the request has none. */
  readonly body: string | undefined
}

/** JSON, a response as it is, or what to do with the request. */
type Answer = object | Response | ((request: Request) => Response | Promise<Response>)

/**
 * A client whose service gives these answers, each once and in order, and the requests that it got. A request more than
 * there are answers fails its call.
 */
export function aClient<V extends ApiVersion = '2021-09-27'>(
  answers: readonly Answer[] = [],
  options: ClientOptions<V> = {},
): { client: PaymentsClient<V>; requests: SentRequest[] } {
  const requests: SentRequest[] = []
  const script = answers.values()
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(await record(request.clone()))
    const { value: answer, done } = script.next()
    if (done) throw new Error(`No answer is left for ${request.method} ${request.url}`)
    if (typeof answer === 'function') return answer(request)
    return answer instanceof Response ? answer : Response.json(answer)
  }
  return { client: new PaymentsClient<V>({ apiKey, baseUrl, fetch, maxRetries: 0, ...options }), requests }
}

async function record(request: Request): Promise<SentRequest> {
  return {
    line: `${request.method} ${request.url.replace(baseUrl, '')}`,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? undefined : await request.text(),
  }
}

/** A key that the client made itself. */
export const aNewKey: string = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)

interface Expected {
  body?: object
  idempotencyKey?: string
  version?: string
}

/** The request that must have been sent: this line, these bytes, these headers and no others. */
export function sent(line: string, { body, idempotencyKey, version = '2021-09-27' }: Expected = {}): SentRequest {
  return {
    line,
    headers: {
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^payments-client\/\d+\.\d+\.\d+$/),
      'x-api-key': apiKey,
      'x-api-version': version,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'x-idempotency-key': idempotencyKey }),
    },
    body: body && JSON.stringify(body),
  }
}
