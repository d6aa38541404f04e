import { WebhookVerificationError } from '../errors.js'
import { alreadyRead } from './body.js'
import { createRequest, failingBody } from './fetch-request.js'
import type { WebhookHandler } from './handler.js'

/** The event fields that the function uses, from API Gateway (REST or HTTP), a function URL or ALB. */
export interface LambdaEvent {
  /** Present in events from REST APIs and ALB. */
  readonly httpMethod?: string
  readonly path?: string
  /** Present in events from HTTP APIs and function URLs. */
  readonly rawPath?: string
  readonly requestContext?: object
  readonly headers?: { readonly [name: string]: string | undefined } | null
  readonly multiValueHeaders?: { readonly [name: string]: readonly string[] | undefined } | null
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

/** A response for API Gateway (REST and HTTP), function URLs and ALB. */
export interface LambdaResult {
  statusCode: number
  headers: { [name: string]: string }
  /** Present if the event has `multiValueHeaders`. */
  multiValueHeaders?: { [name: string]: string[] }
  body: string
  isBase64Encoded: boolean
}

/** A function for AWS Lambda. It never rejects. */
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
  return async (event) => {
    const response = await respond(handler, event)
    const headers = Object.fromEntries(response.headers)
    const multiValueHeaders = Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]]))
    return {
      statusCode: response.status,
      headers,
      ...(event.multiValueHeaders ? { multiValueHeaders } : undefined),
      body: response.text,
      isBase64Encoded: false,
    }
  }
}

async function respond(handler: WebhookHandler, event: LambdaEvent) {
  try {
    const { http } = (event.requestContext ?? {}) as { http?: { method?: string } }
    const request = createRequest({
      method: event.httpMethod ?? http?.method,
      path: event.rawPath ?? event.path,
      headers: { ...event.headers, ...event.multiValueHeaders },
      body: rawBodyOf(event),
    })
    const response = await handler(request)
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    return { status: 500, headers: new Headers(), text: '' }
  }
}

function rawBodyOf({ body, isBase64Encoded }: LambdaEvent): BodyInit | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body !== 'string') return failingBody(alreadyRead())
  return isBase64Encoded ? decodeBase64(body) : body
}

function decodeBase64(body: string): BodyInit {
  try {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
  } catch {
    const problem = 'The event has isBase64Encoded: true, but its body is not base64: pass the event as received'
    return failingBody(new WebhookVerificationError('body-not-raw', problem))
  }
}
