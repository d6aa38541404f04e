import { describe, expect, it } from 'vitest'
import { type RequestFacts, retryDecision, retryOf } from '../../../src/core/internal/outcome.js'

type Body =
  | 'none'
  | 'described'
  | 'NotAllowed'
  | 'IdempotencyKeyAlreadyExists'
  | 'IdempotencyKeyReused'
  | 'RequestInProgress'
  | 'InProgressLimit'

const factsOf = (status: number, body: Body) => {
  const hasErrorId = body !== 'none' && body !== 'described'
  return { status, hasEnvelope: body !== 'none', hasErrorId, ...(hasErrorId && { errorId: body }) }
}

describe('the decision about a retry', () => {
  it.each<[status: number, body: Body, keyed: string, write: string, read: string]>([
    [200, 'NotAllowed', 'unknown', 'unknown', 'unknown'],
    [302, 'none', 'unknown', 'unknown', 'rejected'],
    [400, 'none', 'unknown', 'rejected', 'rejected'],
    [400, 'described', 'unknown', 'rejected', 'rejected'],
    [400, 'NotAllowed', 'rejected', 'rejected', 'rejected'],
    [401, 'none', 'rejected', 'rejected', 'rejected'],
    [403, 'none', 'rejected', 'rejected', 'rejected'],
    [404, 'none', 'rejected', 'rejected', 'rejected'],
    [408, 'NotAllowed', 'unknown', 'unknown', 'rejected'],
    [409, 'none', 'unknown', 'rejected', 'rejected'],
    [409, 'described', 'unknown', 'rejected', 'rejected'],
    [409, 'NotAllowed', 'rejected', 'rejected', 'rejected'],
    [409, 'IdempotencyKeyAlreadyExists', 'rejected', 'rejected', 'rejected'],
    [409, 'RequestInProgress', 'unknown', 'rejected', 'rejected'],
    [409, 'InProgressLimit', 'rejected', 'rejected', 'rejected'],
    [422, 'RequestInProgress', 'rejected', 'rejected', 'rejected'],
    [422, 'none', 'rejected', 'rejected', 'rejected'],
    [429, 'none', 'rejected', 'rejected', 'rejected'],
    [499, 'none', 'rejected', 'rejected', 'rejected'],
    [500, 'NotAllowed', 'unknown', 'unknown', 'unknown'],
    [503, 'none', 'unknown', 'unknown', 'unknown'],
  ])(
    'maps the status %i and the body %s to: %s with an idempotency key, %s for a write without a key, %s for a read',
    (status, body, keyed, write, read) => {
      const outcomeOf = (request: RequestFacts) =>
        retryDecision(request, { kind: 'response', ...factsOf(status, body) }).outcome

      expect(outcomeOf({ method: 'POST', hasKey: true })).toBe(keyed)
      expect(outcomeOf({ method: 'POST', hasKey: false })).toBe(write)
      expect(outcomeOf({ method: 'GET', hasKey: false })).toBe(read)
    },
  )
})

describe('retryOf', () => {
  it.each<[status: number, body: Body, retry: string]>([
    [400, 'NotAllowed', 'new-key'],
    [404, 'NotAllowed', 'new-key'],
    [404, 'described', 'new-key'],
    [409, 'NotAllowed', 'new-key'],
    [422, 'NotAllowed', 'new-key'],
    [409, 'IdempotencyKeyAlreadyExists', 'same-key'],
    [400, 'IdempotencyKeyAlreadyExists', 'same-key'],
    [409, 'IdempotencyKeyReused', 'same-key'],
    [409, 'RequestInProgress', 'same-key'],
    [404, 'none', 'same-key'],
    [422, 'none', 'same-key'],
    [302, 'NotAllowed', 'same-key'],
    [401, 'NotAllowed', 'same-key'],
    [403, 'NotAllowed', 'same-key'],
    [408, 'NotAllowed', 'same-key'],
    [410, 'NotAllowed', 'same-key'],
    [429, 'NotAllowed', 'same-key'],
  ])('returns, for a rejection with the status %i and the body %s: %s', (status, body, retry) => {
    const response = factsOf(status, body)

    expect(retryOf({ outcome: 'rejected', isRepeatable: true, response, isInvalid: false })).toBe(retry)
    expect(retryOf({ outcome: 'rejected', isRepeatable: false, response, isInvalid: false })).toBe(retry)
  })

  it.each<['unknown' | 'accepted', boolean, string]>([
    ['unknown', true, 'same-key'],
    ['accepted', true, 'same-key'],
    ['unknown', false, 'check-first'],
    ['accepted', false, 'check-first'],
  ])('returns, for the outcome %s of an operation (safe to repeat: %s): %s', (outcome, isRepeatable, retry) => {
    const response = factsOf(422, 'NotAllowed')

    expect(retryOf({ outcome, isRepeatable, response, isInvalid: false })).toBe(retry)
    expect(retryOf({ outcome, isRepeatable, isInvalid: true })).toBe(retry)
  })

  it('returns "same-key" if no request was sent, and "no" if the arguments are invalid', () => {
    expect(retryOf({ outcome: 'not_sent', isRepeatable: false, isInvalid: false })).toBe('same-key')
    expect(retryOf({ outcome: 'not_sent', isRepeatable: true, isInvalid: true })).toBe('no')
  })
})
