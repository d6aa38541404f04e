import { describe, expect, it } from 'vitest'
import type { PaymentsClient } from '../../../src/index.js'
import { aClient, issuesOf, sent } from '../../support/clients.js'
import { createdSession } from '../../support/responses/client-sessions.js'

describe('the validation of call options', () => {
  const get = (options: unknown) => (client: PaymentsClient) => client.payments.get('pay_1', options as object)

  it.each([null, [], 'fast', 5])('rejects call options that are not an object: %j', async (options) => {
    expect(await issuesOf(get(options))).toEqual(['options must be an object of options'])
  })

  it('ignores inherited methods of the options object', async () => {
    class Options {
      maxRetries = 0
      signal() {}
    }

    const { client } = aClient([{ id: 'pay_1' }])

    expect(await client.payments.get('pay_1', new Options() as object)).toEqual({ id: 'pay_1' })
  })

  const milliseconds = 'must be a number of milliseconds from 1 to 2147483647'

  it.each([
    ['timeout', milliseconds, [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null]],
    ['totalTimeout', milliseconds, [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null]],
    ['maxRetries', 'must be an integer from 0 to 100', [-1, 0.5, 101, Number.NaN, '2', null]],
    ['signal', 'must be an AbortSignal', [{}, 'signal', null, new AbortController()]],
    ['headers', 'must be an object whose values are strings, an array of pairs, or Headers', ['x', null, 5]],
    ['headers', 'has an invalid header name', [{ 'x y': '1' }, { '(x': '1' }, { '': '1' }, [5], [['a b', '1']]]],
    ['headers', 'has an invalid value for x', [{ x: 'a\r\nb' }, { x: 5 }, { x: undefined }, { x: '☕' }, { x: '☕a' }]],
  ])('rejects the call option %s with the invalid value: %s', async (name, problem, values) => {
    for (const value of values) {
      const issues = await issuesOf(get({ [name]: value }))
      expect([value, issues]).toEqual([value, [`options.${name} ${problem}`]])
    }
  })

  it.each(['yes', 1, null])('rejects the value %j of the call option resend', async (resend) => {
    const issues = await issuesOf((client) => client.clientSessions.create({}, { resend: resend as never }))

    expect(issues).toEqual(['options.resend must be true or false'])
  })

  it.each([
    'X-Api-Key',
    'x-api-version',
    'X-IDEMPOTENCY-KEY',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'accept',
    'Accept-Encoding',
    'Connection',
    'Host',
    'user-agent',
    'Expect',
    'Trailer',
    'TE',
    'Upgrade',
    'Keep-Alive',
  ])('rejects the header %s, which the SDK sets', async (header) => {
    const issues = await issuesOf(get({ headers: { [header]: 'mine' } }))

    expect(issues).toEqual([`options.headers must not set ${header.toLowerCase()}: the client sets it`])
  })

  it('validates the call options of list methods', async () => {
    const issues = await issuesOf((client) => client.payments.list({}, { signal: 'signal' as never }))

    expect(issues).toEqual(['options.signal must be an AbortSignal'])
  })

  it('accepts undefined for every call option except idempotencyKey', async () => {
    const { client, requests } = aClient([createdSession])
    const names = ['signal', 'timeout', 'totalTimeout', 'maxRetries', 'headers', 'resend']

    await client.clientSessions.create({}, Object.fromEntries(names.map((name) => [name, undefined])))

    expect(requests).toEqual([sent('POST /client-session', { body: {} })])
  })

  it('rejects unknown call options, and suggests valid names', async () => {
    expect(await issuesOf(get({ retries: 3, zzzzzzzzzzzz: undefined }))).toEqual([
      'options.retries is not an option: did you mean "maxRetries"?',
      'options.zzzzzzzzzzzz is not an option',
    ])
  })

  it('rejects call options that belong to other operations', async () => {
    expect(await issuesOf(get({ resend: true, idempotencyKey: 'key-1' }))).toEqual([
      'options.idempotencyKey is not an option of payments.get',
      'options.resend is not an option of payments.get',
    ])
  })

  it('reports invalid options and invalid arguments in the same error', async () => {
    const issues = await issuesOf((client) =>
      client.payments.refund('..', { amount: -1 }, { maxRetries: -1, timeout: 0 } as object),
    )

    expect(issues.map((issue) => issue.split(' ')[0]).sort()).toEqual([
      'amount',
      'id',
      'options.maxRetries',
      'options.timeout',
    ])
  })
})
