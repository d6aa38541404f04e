import { paymentIn } from '../contract/operation.js'
import { cartOf } from '../contract/version.js'
import type { ErrorResponse, ServiceValidationError } from '../errors.js'
import { isObject } from '../internal/objects.js'
import { parse } from '../schemas/parse.js'
import type { AttemptContext, Result } from './call-record.js'
import { responseInvalid } from './events.js'
import { type Failure, isSuccess, rejected, violation } from './failure.js'
import type { HttpResponse } from './http/adapter.js'
import { parseJson } from './http/body.js'
import { isSecret, redact, secretsOf } from './redact.js'
import { parseRetryAfter } from './retry-after.js'

/** Parses the complete body of a response. Throws an `UnreadableBody` if a 2xx response has no valid JSON. */
export function readResponse(context: AttemptContext, text: string): Result {
  const response = context.response as HttpResponse
  return isSuccess(response.status)
    ? readSuccess(context, response, text)
    : { kind: 'failure', failure: rejection(context, response, jsonOrText(text), true) }
}

function readSuccess(context: AttemptContext, response: HttpResponse, text: string): Result {
  const { request, settings } = context.call
  const { operation } = request
  // Rejects an empty body with a content encoding. A compressed body is never empty, so it was truncated.
  const mayBeEmpty = operation.responseOptional === true && !response.headers.get('content-encoding')
  if (text === '' && mayBeEmpty) return { kind: 'success', data: undefined, response }
  const schema = operation.response[cartOf(settings.apiVersion)]
  const body = parseJson(text)
  if (hasErrorEnvelope(body)) return { kind: 'failure', failure: rejection(context, response, body, true) }
  // Bodies that are not objects are always rejected, even with validation off.
  const mode = isObject(body) ? settings.responseValidation : 'throw'
  if (mode === 'off') return { kind: 'success', data: body, response }
  const { data, issues } = parse(schema, body)
  if (issues.length > 0 && mode === 'throw')
    return { kind: 'failure', failure: violation(response.status, context.call.sent, issues, body) }
  if (issues.length > 0) responseInvalid(context, issues)
  return { kind: 'success', data, response }
}

function jsonOrText(body: string): unknown {
  try {
    return body === '' ? undefined : parseJson(body)
  } catch {
    return body
  }
}

/** @param isComplete Whether the whole body arrived. */
export function rejection(
  { call, sentHeaders }: AttemptContext,
  response: HttpResponse,
  body: unknown,
  isComplete: boolean,
): Failure {
  const { operation, bodyValue } = call.request
  const paymentIds = [paymentIn(call.request), Object(bodyValue).paymentId]
  const error = readErrorResponse(response, body, secretsOf(sentHeaders, call.request), paymentIds)
  return rejected(error, call.sent, operation.scope, isComplete)
}

/**
 * Error IDs with this suffix report that the idempotency key was already used. They are never omitted, even if a secret
 * happens to be part of the suffix.
 */
const keyErrorSuffix = /IdempotencyKey(AlreadyExists|Reused)$/i

/** Returns whether a body has the service's error format: `{ error: { errorId, description, … } }`. */
export function hasErrorEnvelope(body: unknown): body is { error: Record<string, unknown> } {
  if (!isObject(body) || !isObject(body['error'])) return false
  const { errorId, description } = body['error']
  return typeof errorId === 'string' || typeof description === 'string'
}

/**
 * Reads an error response.
 *
 * @param secrets The secrets of the request, which messages must not contain.
 * @param paymentIds Payment IDs of the request. They may appear in messages, because they are not secret.
 */
export function readErrorResponse(
  response: HttpResponse,
  body: unknown,
  secrets: readonly string[],
  paymentIds: readonly unknown[],
): ErrorResponse {
  // Omits a name that contains a secret, such as the API key, because error messages show names.
  const nameOf = (value: unknown): string | undefined => {
    const name = stringOf(value)
    const isPublic = name === undefined || paymentIds.includes(name)
    return isPublic || !isSecret(name.replace(keyErrorSuffix, ''), secrets) ? name : undefined
  }
  const error = hasErrorEnvelope(body) ? body.error : {}
  const description = stringOf(error['description'])
  const validationErrors = arrayOf<ServiceValidationError>(error['validationErrors'])
  const quote = [description, ...describeFields(validationErrors)].filter((part) => part !== undefined).join('; ')
  return {
    status: response.status,
    hasEnvelope: hasErrorEnvelope(body),
    hasErrorId: stringOf(error['errorId']) !== undefined,
    headers: response.headers,
    body,
    errorId: nameOf(error['errorId']),
    description,
    diagnosticsId: nameOf(error['diagnosticsId']),
    validationErrors,
    paymentId: nameOf(error['paymentId']),
    retryAfterMs: parseRetryAfter(response.headers),
    quote: redact(quote, secrets),
  }
}

function arrayOf<Item>(value: unknown): Item[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** Maximum number of `validationErrors` in an error message, and of fields in each. */
const maxDescribed = 20

/** Formats the first invalid fields: `$.amount must be an integer`. */
function describeFields(validationErrors: readonly ServiceValidationError[] = []): string[] {
  const fields = validationErrors
    .slice(0, maxDescribed)
    .flatMap((model) => arrayOf<Record<string, unknown>>(Object(model).errors)?.slice(0, maxDescribed) ?? [])
  return fields.map((field) =>
    [stringOf(Object(field).path), stringOf(Object(field).description)].filter(Boolean).join(' '),
  )
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
