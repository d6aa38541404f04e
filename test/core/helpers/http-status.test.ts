import { describe, expect, it } from 'vitest'
import { ConfigurationError, httpStatusOf, retryAfterOf } from '../../../src/index.js'
import { aClient, errorResponse, failureOf } from '../../support/clients.js'

const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
const html = (status: number) => () => new Response('<html>', { status })

describe('httpStatusOf', () => {
  it.each<[string, () => Response | Promise<Response>, number]>([
    ['a rejection of the content', () => errorResponse(422, { errorId: 'CaptureExceedsAuthorizedAmount' }), 400],
    ['a used key', () => errorResponse(409, { errorId: 'IdempotencyKeyAlreadyExists' }), 409],
    ['a used key in an older version', () => errorResponse(400, { errorId: 'XIdempotencyKeyAlreadyExists' }), 409],
    ['another 409', () => errorResponse(409, { errorId: 'PaymentInvalidStatus' }), 400],
    ['a 409 without an error id', html(409), 502],
    ['a 401', () => errorResponse(401, { errorId: 'Unauthorized' }), 502],
    ["a firewall's 403", html(403), 502],
    ['a 404 in another format', html(404), 502],
    ['a 408', html(408), 502],
    ['a 429', html(429), 429],
    ['a 500', html(500), 502],
    ['a 503', html(503), 503],
    ['a 500 with Retry-After', () => errorResponse(500, {}, { 'retry-after': '7' }), 503],
    ['a lost connection', refused, 502],
  ])('returns the status for the browser after %s', async (_, respond, status) => {
    const error = await failureOf(aClient([respond]).client.payments.capture('pay_1', { amount: 5 }))

    expect(httpStatusOf(error)).toBe(status)
  })

  it('returns 500 for invalid arguments, non-retryable operations and other errors', async () => {
    const { client } = aClient([html(500)])

    expect(httpStatusOf(await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' })))).toBe(500)
    expect(httpStatusOf(await failureOf(client.payments.get('')))).toBe(500)
    expect(httpStatusOf(new ConfigurationError('invalid'))).toBe(500)
    expect(httpStatusOf(new Error('other'))).toBe(500)
    expect(httpStatusOf(undefined)).toBe(500)
  })
})

describe('retryAfterOf', () => {
  it('returns the requested delay in whole seconds, or undefined if the error has none', async () => {
    const headers = { 'retry-after': '7' }
    const delayed = await failureOf(aClient([new Response('', { status: 503, headers })]).client.payments.get('pay_1'))
    const failed = await failureOf(aClient([html(503)]).client.payments.get('pay_1'))

    expect([retryAfterOf(delayed), httpStatusOf(delayed)]).toEqual(['7', 503])
    expect([retryAfterOf(failed), retryAfterOf(new Error('other'))]).toEqual([undefined, undefined])
  })
})
