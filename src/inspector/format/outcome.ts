import type { RecordedRequest } from '../api.js'

/** The result of one attempt by this SDK: the `outcome` of its error, or `succeeded`. */
export interface AttemptOutcome {
  name: 'succeeded' | 'rejected' | 'unknown' | 'accepted'
  meaning: string
}

const meanings = {
  succeeded: 'The service acted, and the client got the result.',
  rejected: 'The service responded that it did not act.',
  unknown: 'The client cannot know whether the service acted.',
  accepted: 'The service acted, but the client could not read the response.',
}

/** Returns the outcome that this SDK reports for an attempt. Returns undefined for requests from other clients. */
export function outcomeOf(request: RecordedRequest): AttemptOutcome | undefined {
  if (!/^payments-client\//.test(request.userAgent ?? '')) return undefined
  const name = nameOf(request)
  return { name, meaning: meanings[name] }
}

function nameOf({ status, method, responseBody }: RecordedRequest): AttemptOutcome['name'] {
  if (status === undefined) return 'unknown'
  if (status < 300) return objectIn(responseBody) || status === 204 ? 'succeeded' : 'accepted'
  if (status === 408 || status < 400) return method === 'GET' ? 'rejected' : 'unknown'
  return status < 500 ? 'rejected' : 'unknown'
}

/** Returns the JSON object in a recorded body. */
export function objectIn(body: string | undefined): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
