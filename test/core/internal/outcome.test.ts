import { describe, expect, it } from 'vitest'
import {
  type Ending,
  type RequestFacts,
  type RetryRule,
  retryDecision,
  retryRules,
} from '../../../src/core/internal/outcome.js'
import { aClient, errorResponse, failureOf } from '../../support/clients.js'

const write = { method: 'POST', hasKey: true }
const responding = (status: number, errorId?: string): Ending => {
  const hasErrorId = errorId !== undefined
  return { kind: 'response', status, hasEnvelope: hasErrorId, hasErrorId, errorId }
}
const disconnected = (isUnsent: boolean, isTlsFailure: boolean): Ending => ({
  kind: 'connection',
  isUnsent,
  isTlsFailure,
})

/** An attempt for each rule. */
const attempts = {
  'the configuration is invalid': [write, { kind: 'configuration' }],
  'no connection became free in time': [write, { kind: 'timeout', phase: 'queue' }],
  'no connection was established in time': [write, { kind: 'timeout', phase: 'connect' }],
  'no response arrived in time': [write, { kind: 'timeout', phase: 'headers' }],
  'the TLS handshake failed': [write, disconnected(true, true)],
  'no connection': [write, disconnected(true, false)],
  'a custom fetch rejected the certificate': [write, disconnected(false, true)],
  'the connection broke': [write, disconnected(false, false)],
  '2xx with an incomplete body': [write, { kind: 'unusable', reason: 'truncated' }],
  '2xx with an invalid body': [write, { kind: 'unusable', reason: 'violation' }],
  '2xx with an error': [write, responding(200, 'NotAllowed')],
  'redirect of a GET': [{ method: 'GET', hasKey: false }, responding(302)],
  'other redirect': [write, responding(302)],
  '408 of a GET': [{ method: 'GET', hasKey: false }, responding(408)],
  'other 408': [write, responding(408)],
  '429': [write, responding(429)],
  '400 or 409 without an error ID': [write, responding(409)],
  'the key was already used': [write, responding(409, 'IdempotencyKeyReused')],
  'a request with this key is in progress': [write, responding(409, 'RequestInProgress')],
  'a request without a key is in progress': [{ method: 'POST', hasKey: false }, responding(409, 'RequestInProgress')],
  'invalid content': [write, responding(422, 'NotAllowed')],
  'other 4xx': [write, responding(403)],
  '5xx': [write, responding(503)],
} satisfies Record<RetryRule, [RequestFacts, Ending]>

describe('the decision about a retry', () => {
  const outcomes = retryRules.map(([rule, , outcome]) => [rule, outcome] as const)

  it.each(outcomes)('tests each retry rule with an attempt that no earlier rule matches: %s', (rule, outcome) => {
    const [request, ending] = attempts[rule]

    expect(retryRules.find(([, matches]) => matches(ending, request))?.[0]).toBe(rule)
    expect(retryDecision(request, ending)).toMatchObject({ outcome })
  })
})

describe('the outcome of a call, and the safe next step', () => {
  const bodies: Record<string, object | undefined> = { none: undefined, described: { description: 'No' } }

  it.each<[status: number, body: string, keyed: string, write: string, read: string]>([
    [200, 'NotAllowed', 'unknown same-key', 'unknown check-first', 'unknown same-key'],
    [300, 'none', 'unknown same-key', 'unknown check-first', 'rejected same-key'],
    [302, 'NotAllowed', 'unknown same-key', 'unknown check-first', 'rejected same-key'],
    [399, 'none', 'unknown same-key', 'unknown check-first', 'rejected same-key'],
    [400, 'none', 'unknown same-key', 'rejected same-key', 'rejected same-key'],
    [400, 'described', 'unknown same-key', 'rejected new-key', 'rejected new-key'],
    [400, 'NotAllowed', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [400, 'IdempotencyKeyAlreadyExists', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [401, 'none', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [401, 'NotAllowed', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [403, 'none', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [403, 'NotAllowed', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [404, 'none', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [404, 'described', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [404, 'NotAllowed', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [408, 'NotAllowed', 'unknown same-key', 'unknown check-first', 'rejected same-key'],
    [409, 'none', 'unknown same-key', 'rejected same-key', 'rejected same-key'],
    [409, 'described', 'unknown same-key', 'rejected new-key', 'rejected new-key'],
    [409, 'NotAllowed', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [409, 'IdempotencyKeyAlreadyExists', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [409, 'IdempotencyKeyReused', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [409, 'IdempotencyKeyReusedElsewhere', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [409, 'RequestInProgress', 'unknown same-key', 'rejected same-key', 'rejected same-key'],
    [409, 'InProgressLimit', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [410, 'NotAllowed', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [422, 'none', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [422, 'NotAllowed', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [422, 'IdempotencyKeyAlreadyExists', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [422, 'RequestInProgress', 'rejected new-key', 'rejected new-key', 'rejected new-key'],
    [429, 'NotAllowed', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [499, 'none', 'rejected same-key', 'rejected same-key', 'rejected same-key'],
    [500, 'NotAllowed', 'unknown same-key', 'unknown check-first', 'unknown same-key'],
    [503, 'none', 'unknown same-key', 'unknown check-first', 'unknown same-key'],
  ])(
    'classifies status %i with body %s as: %s; without a key: %s; for a read: %s',
    async (status, body, keyed, write, read) => {
      const error = body in bodies ? bodies[body] : { errorId: body }
      const respond = () => (error ? errorResponse(status, error) : new Response('', { status }))
      const { client } = aClient(respond)

      const errors = [
        await failureOf(client.payments.refund('pay_1', {}, { idempotencyKey: 'key-1' })),
        await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' })),
        await failureOf(client.payments.get('pay_1')),
      ]

      const steps = errors.map(({ outcome, retry }) => `${outcome} ${retry}`)
      expect(steps).toEqual([keyed, write, read])
    },
  )

  it('judges an unreadable 2xx response by whether the operation can be repeated', async () => {
    const { client } = aClient(() => new Response('<html>'))

    const keyed = await failureOf(client.payments.refund('pay_1'))
    const once = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect([keyed, once]).toMatchObject([
      { outcome: 'accepted', retry: 'same-key' },
      { outcome: 'accepted', retry: 'check-first' },
    ])
  })
})
