import type { FailedAnswer, ServiceValidationError } from '../errors.js'
import { redact } from './redact.js'
import { isPlainObject } from './request.js'
import { parseRetryAfter } from './retry-after.js'
import type { WireAnswer } from './wire.js'

/** The service's error envelope: `{ error: { errorId, description, … } }`. */
export function hasErrorEnvelope(body: unknown): body is { error: Record<string, unknown> } {
  return (
    isPlainObject(body) &&
    isPlainObject(body['error']) &&
    (typeof body['error']['errorId'] === 'string' || typeof body['error']['description'] === 'string')
  )
}

/** What an answer without success says, whatever its form. */
export function readRefusal(response: WireAnswer, body: unknown, sentValues: readonly string[]): FailedAnswer {
  const error = hasErrorEnvelope(body) ? body.error : {}
  const description = textOf(error['description'])
  const validationErrors = listOf<ServiceValidationError>(error['validationErrors'])
  const quote = [description, ...details(validationErrors)].filter((text) => text !== undefined).join('; ')
  return {
    status: response.status,
    headers: response.headers,
    body,
    errorId: textOf(error['errorId']),
    description,
    diagnosticsId: textOf(error['diagnosticsId']),
    validationErrors,
    paymentId: textOf(error['paymentId']),
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
