import { describe, expect, it } from 'vitest'
import {
  type Ending,
  type RequestFacts,
  type RetryRule,
  retryDecision,
  retryOf,
  retryRules,
} from '../../../src/core/internal/outcome.js'

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

const write = { method: 'POST', hasKey: true }
const responding = (status: number, body: Body = 'none'): Ending => ({ kind: 'response', ...factsOf(status, body) })
const disconnected = (isUnsent: boolean, isTlsFailure: boolean): Ending => ({
  kind: 'connection',
  isUnsent,
  isTlsFailure,
})

/** An attempt for each rule. */
const attempts = {
  'the configuration is invalid': [write, { kind: 'configuration' }],
  'no slot became free in time': [write, { kind: 'timeout', phase: 'queue' }],
  'no connection was established in time': [write, { kind: 'timeout', phase: 'connect' }],
  'no response arrived in time': [write, { kind: 'timeout', phase: 'headers' }],
  'no connection: TLS failed': [write, disconnected(true, true)],
  'no connection': [write, disconnected(true, false)],
  'a foreign fetch rejected the certificate': [write, disconnected(false, true)],
  'the connection broke': [write, disconnected(false, false)],
  '2xx, maybe cut off': [write, { kind: 'unusable', reason: 'truncated' }],
  '2xx, other unusable body': [write, { kind: 'unusable', reason: 'violation' }],
  '2xx with an error': [write, responding(200, 'NotAllowed')],
  'redirect of a read': [{ method: 'GET', hasKey: false }, responding(302)],
  'redirect of a write': [write, responding(302)],
  '408 of a read': [{ method: 'GET', hasKey: false }, responding(408)],
  '408 of a write: some servers continue': [write, responding(408)],
  '429': [write, responding(429)],
  'no error id': [write, responding(409)],
  'the key was used': [write, responding(409, 'IdempotencyKeyReused')],
  'in progress': [write, responding(409, 'RequestInProgress')],
  'in progress, without a key': [{ method: 'POST', hasKey: false }, responding(409, 'RequestInProgress')],
  'invalid content': [write, responding(422, 'NotAllowed')],
  'other 4xx': [write, responding(403)],
  '5xx': [write, responding(503)],
} satisfies Record<RetryRule, [RequestFacts, Ending]>

describe('the decision about a retry', () => {
  const outcomes = retryRules.map(([rule, , outcome]) => [rule, outcome] as const)

  it.each(outcomes)('has an attempt that no earlier rule matches: %s', (rule, outcome) => {
    const [request, ending] = attempts[rule]

    expect(retryRules.find(([, matches]) => matches(ending, request))?.[0]).toBe(rule)
    expect(retryDecision(request, ending)).toMatchObject({ outcome })
  })

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
