import { retryDecision } from '../../core/internal/outcome.js'
import { maxRecordedBytes } from '../sandbox/internal/mask.js'
import type { RecordedRequest } from './rows.js'

/** The meaning of each result of an attempt: the `outcome` of its error, or `succeeded`. */
const meanings = {
  succeeded: 'The service acted, and the client got the result.',
  rejected: 'The service responded that it did not act.',
  unknown: 'The client cannot know whether the service acted.',
  accepted: 'The service acted, but the client could not read the response.',
}

type Name = keyof typeof meanings

/**
 * Returns the outcome that this client reports for an attempt. Returns undefined for requests from other clients, and
 * if the sandbox did not record the complete body.
 */
export function outcomeOf(request: RecordedRequest): { name: Name; meaning: string } | undefined {
  if (!/^payments-client\//.test(request.userAgent ?? '')) return undefined
  const name = nameOf(request)
  return name && { name, meaning: meanings[name] }
}

function nameOf({ status, method, requestHeaders, responseBody }: RecordedRequest): Name | undefined {
  if (status === undefined) return 'unknown'
  const body = objectIn(responseBody)
  const { errorId, description } = (body?.['error'] ?? {}) as Record<string, unknown>
  const hasErrorId = typeof errorId === 'string'
  const response = { status, hasErrorId, ...(hasErrorId && { errorId }) }
  if (status < 300 && !hasErrorId && typeof description !== 'string') {
    if (body || status === 204) return 'succeeded'
    return isTruncated(responseBody) ? undefined : 'accepted'
  }
  const sent = { method, hasKey: 'x-idempotency-key' in requestHeaders }
  const { outcome } = retryDecision(sent, { kind: 'response', ...response })
  return outcome === 'not_sent' ? undefined : outcome
}

/** Returns whether the sandbox may have truncated the body at 64 KiB. */
function isTruncated(body: string): boolean {
  // Up to 3 bytes may be missing from a truncated body, because a partial last character is removed.
  return new TextEncoder().encode(body).length > maxRecordedBytes - 4
}

export function objectIn(body: string | undefined): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
