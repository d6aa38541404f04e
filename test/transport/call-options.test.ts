import { describe, expect, it } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { aClient, sent } from '../support/recording-fetch.js'
import { issuesOf } from '../support/rejection.js'
import { createdSession } from '../support/responses/client-sessions.js'

describe('options of a call', () => {
  const get = (options: unknown) => (client: PaymentsClient) => client.payments.get('pay_1', options as object)

  it.each([null, [], 'fast', 5])('must not be %j', async (options) => {
    expect(await issuesOf(get(options))).toEqual(['options must be an object of options'])
  })

  it.each([
    ['timeout', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null]],
    ['totalTimeout', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null]],
    ['maxRetries', [-1, 0.5, 101, Number.NaN, '2', null]],
    ['signal', [{}, 'signal', null, new AbortController()]],
    ['headers', ['x', null, 5, { 'x y': '1' }, { '': '1' }, { x: 'a\r\nb' }, { x: 5 }, { x: undefined }, { x: '☕' }]],
  ])('must not have a %s out of range', async (name, values) => {
    for (const value of values) {
      const issues = await issuesOf(get({ [name]: value }))
      expect(issues).toEqual([expect.stringMatching(new RegExp(`^options\\.${name} (must|has)`))])
    }
  })

  it.each(['Expect', 'Trailer', 'TE', 'Upgrade', 'Keep-Alive', 'Connection', 'Content-Length'])(
    'must not set %s, which changes how a message is read',
    async (name) => {
      expect(await issuesOf(get({ headers: { [name]: 'x' } }))).toEqual([
        `options.headers must not set ${name.toLowerCase()}: the SDK sets it`,
      ])
    },
  )

  it.each(['yes', 1, null])('must not have %j for `resend`', async (resend) => {
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
  ])('must not set the header %s, which this package sets', async (header) => {
    const issues = await issuesOf(get({ headers: { [header]: 'mine' } }))

    expect(issues).toEqual([`options.headers must not set ${header.toLowerCase()}: the SDK sets it`])
  })

  it('are held to the same rules where a list is read', async () => {
    const issues = await issuesOf((client) => client.payments.list({}, { signal: 'signal' as never }))

    expect(issues).toEqual(['options.signal must be an AbortSignal'])
  })

  it('may be undefined one by one, but for the idempotency key', async () => {
    const { client, requests } = aClient([createdSession])
    const names = ['signal', 'timeout', 'totalTimeout', 'maxRetries', 'headers', 'resend']

    await client.clientSessions.create({}, Object.fromEntries(names.map((name) => [name, undefined])))

    expect(requests).toEqual([sent('POST /client-session', { body: {} })])
  })

  it('must not have unknown names', async () => {
    expect(await issuesOf(get({ retries: 3, zzzzzzzzzzzz: 1 }))).toEqual([
      'options.retries is not an option: did you mean "maxRetries"?',
      'options.zzzzzzzzzzzz is not an option',
    ])
  })

  it('must not be those of other operations', async () => {
    expect(await issuesOf(get({ resend: true, idempotencyKey: 'key-1' }))).toEqual([
      'options.idempotencyKey is not taken by payments.get',
      'options.resend is not taken by payments.get',
    ])
  })

  it('must not have unknown names, even where they are undefined', async () => {
    expect(await issuesOf(get({ timout: undefined }))).toEqual([
      'options.timout is not an option: did you mean "timeout"?',
    ])
  })

  it('are all looked at, together with the arguments', async () => {
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
