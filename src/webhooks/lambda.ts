import { ConfigurationError } from '../core/errors.js'
import { fromLatin1 } from '../core/internal/bytes.js'
import { alreadyRead, type RawBody } from './body.js'
import { WebhookVerificationError } from './errors.js'
import type { WebhookHandler } from './handler.js'
import { type Incoming, receiverOf } from './receiver.js'

/** The event fields that the function uses, from API Gateway (REST or HTTP), a function URL or ALB. */
export interface LambdaEvent {
  /** Present in events from REST APIs and ALB. */
  readonly httpMethod?: string
  readonly path?: string
  /** Present in events from HTTP APIs and function URLs. */
  readonly rawPath?: string
  readonly requestContext?: object
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined
  readonly multiValueHeaders?: { readonly [name: string]: readonly string[] | undefined } | null | undefined
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

/** A response for API Gateway (REST and HTTP), function URLs and ALB. */
export interface LambdaResult {
  statusCode: number
  headers: { [name: string]: string }
  /** All values of each header. Present if the event has `multiValueHeaders`. */
  multiValueHeaders?: { [name: string]: string[] }
  body: string
  isBase64Encoded: boolean
}

/** A function for AWS Lambda. Rejects only if its argument is not an event. */
export type LambdaFunction = (event: LambdaEvent) => Promise<LambdaResult>

/**
 * Converts a handler for AWS Lambda behind API Gateway (REST or HTTP API), a function URL or an application load
 * balancer. Remove JSON body parsers such as middy's, because the signature covers the raw body.
 *
 * @param handler The handler from `createHandler`.
 * @example
 * export const handler = toLambdaHandler(createHandler({ secret, on }))
 */
export function toLambdaHandler(handler: WebhookHandler): LambdaFunction {
  const receive = receiverOf(handler)
  return async (event) => {
    if (typeof event !== 'object' || event === null)
      throw new ConfigurationError('The function needs the event of Lambda')
    const { status, headers, body } = await receive(incomingOf(event))
    const multiValueHeaders = Object.fromEntries([...headers].map(([name, value]) => [name, [value]]))
    return {
      statusCode: status,
      headers: Object.fromEntries(headers),
      ...(event.multiValueHeaders ? { multiValueHeaders } : undefined),
      body: typeof body === 'string' ? body : new TextDecoder().decode(body),
      isBase64Encoded: false,
    }
  }
}

function incomingOf(event: LambdaEvent): Incoming {
  const { http } = (event.requestContext ?? {}) as { http?: { method?: string } }
  const headers = Object.entries({ ...event.headers, ...event.multiValueHeaders })
  return {
    method: event.httpMethod ?? http?.method ?? 'POST',
    path: event.rawPath ?? event.path,
    headers: Object.fromEntries(headers.map(([name, values]) => [name, [values].flat().join(', ')])),
    signal: new AbortController().signal,
    body: () => rawBodyOf(event),
  }
}

function rawBodyOf({ body, isBase64Encoded }: LambdaEvent): RawBody {
  if (body === undefined || body === null) return ''
  if (typeof body !== 'string') throw alreadyRead()
  return isBase64Encoded ? decodeBase64(body) : body
}

function decodeBase64(body: string): Uint8Array {
  try {
    return fromLatin1(atob(body))
  } catch {
    const problem = 'The event has isBase64Encoded: true, but its body is not base64: pass the event as received'
    throw new WebhookVerificationError('body-not-raw', problem)
  }
}
