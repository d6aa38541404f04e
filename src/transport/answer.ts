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
  return {
    status: response.status,
    headers: response.headers,
    body,
    errorId: textOf(error['errorId']),
    description,
    diagnosticsId: textOf(error['diagnosticsId']),
    validationErrors: Array.isArray(error['validationErrors'])
      ? (error['validationErrors'] as ServiceValidationError[])
      : undefined,
    paymentId: textOf(error['paymentId']),
    retryAfterMs: parseRetryAfter(response.headers),
    quote: description === undefined ? undefined : redact(description, sentValues),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
