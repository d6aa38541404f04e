import type { FailedAnswer, ServiceValidationError } from '../errors.js'
import { isObject } from '../internal/objects.js'
import type { WireAnswer } from './http/adapter.js'
import { redact } from './redact.js'
import { parseRetryAfter } from './retry-after.js'

/** The service's error envelope: `{ error: { errorId, description, … } }`. */
export function hasErrorEnvelope(body: unknown): body is { error: Record<string, unknown> } {
  return (
    isObject(body) &&
    Object.hasOwn(body, 'error') &&
    isObject(body['error']) &&
    (typeof body['error']['errorId'] === 'string' || typeof body['error']['description'] === 'string')
  )
}

/** Shorter values say nothing when they come back: `12` is in many names. */
const shortestSecret = 8

/**
 * What an answer without success says, whatever its form.
 *
 * @param paymentIds Which of the values that we sent may be named, since they are no secrets.
 */
export function readRefusal(
  response: WireAnswer,
  body: unknown,
  sentValues: readonly string[],
  paymentIds: readonly unknown[],
): FailedAnswer {
  /** A name that the service gives. Names are printed: one that repeats what we sent, such as the key, is dropped. */
  const nameOf = (value: unknown): string | undefined => {
    const name = textOf(value)
    const repeats = sentValues.some((sent) => sent.length >= shortestSecret && name?.includes(sent))
    return repeats && !paymentIds.includes(name) ? undefined : name
  }
  const error = hasErrorEnvelope(body) ? body.error : {}
  const description = textOf(error['description'])
  const validationErrors = listOf<ServiceValidationError>(error['validationErrors'])
  const quote = [description, ...details(validationErrors)].filter((text) => text !== undefined).join('; ')
  return {
    status: response.status,
    headers: response.headers,
    body,
    errorId: nameOf(error['errorId']),
    description,
    diagnosticsId: nameOf(error['diagnosticsId']),
    validationErrors,
    paymentId: nameOf(error['paymentId']),
    retryAfterMs: parseRetryAfter(response.headers),
    quote: quote === '' ? undefined : redact(quote, sentValues),
  }
}

function listOf<Item>(value: unknown): Item[] | undefined {
  return Array.isArray(value) ? value : undefined
}

/** `$.amount must be an integer`, for each field that the service found wrong. */
function details(validationErrors: readonly ServiceValidationError[] = []): string[] {
  const fields = validationErrors.flatMap((model) => listOf<Record<string, unknown>>(Object(model).errors) ?? [])
  return fields.map((field) =>
    [textOf(Object(field).path), textOf(Object(field).description)].filter(Boolean).join(' '),
  )
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
