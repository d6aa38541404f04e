import { describe, expect, it } from 'vitest'
import { createMemoryJournal, PaymentsClient, RequestValidationError } from '../../../src/index.js'
import { aClient, failureOf, payment } from '../../support/clients.js'
import { aPayment, startSandbox } from '../../support/start-sandbox.js'

const at = new Date('2026-03-02T09:00:00Z')

describe('the option extraBody', () => {
  it('adds extra fields to the body of a typed method', async () => {
    const { client, requests } = aClient([payment, payment])

    await client.payments.capture('pay_1', { amount: 5 }, { extraBody: { tip: { amount: 1 }, at } })
    await client.payments.capture('pay_1', undefined, { extraBody: { tip: null } })

    expect(requests.map(({ body }) => JSON.parse(body ?? ''))).toEqual([
      { amount: 5, tip: { amount: 1 }, at: at.toISOString() },
      { tip: null },
    ])
  })

  it('clientSessions.merge sends extra fields with its changes', async () => {
    const { client, requests } = aClient([{ clientToken: 'token', order: { countryCode: 'DE' } }, {}])

    await client.clientSessions.merge('token', { order: { countryCode: 'FR' } }, { extraBody: { locale: 'fr' } })

    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
      clientToken: 'token',
      order: { countryCode: 'FR' },
      locale: 'fr',
    })
  })

  it.each<[string, object, string]>([
    ['a field that the method has', { amount: 1 }, 'options.extraBody.amount is a known field: pass it in the body'],
    ['a field of another API version', { lineItems: [] }, 'options.extraBody.lineItems is a known field'],
    ['a value that JSON lacks', { tip: Number.NaN }, 'options.extraBody.tip must be a JSON value'],
    ['an undefined value', { tip: undefined }, 'options.extraBody.tip must be a JSON value'],
    ['a promise', { tip: Promise.resolve() }, 'options.extraBody.tip is a promise: await it first'],
    ['an array', [], 'options.extraBody must be an object of fields'],
  ])('rejects %s', async (_, extraBody, message) => {
    const { client, requests } = aClient([])
    const error = await failureOf(client.payments.capture('pay_1', { final: true }, { extraBody } as never))

    expect(error).toBeInstanceOf(RequestValidationError)
    expect(error.message).toContain(message)
    expect(requests).toEqual([])
  })

  it('rejects the session token as an extra field', async () => {
    const { client } = aClient([])
    const error = await failureOf(client.clientSessions.update('token', {}, { extraBody: { clientToken: 'other' } }))

    expect(error.message).toContain('options.extraBody.clientToken is a known field')
  })

  it('rejects extra fields for methods without a body', async () => {
    const { client } = aClient([])
    const error = await failureOf(client.payments.get('pay_1', { extraBody: { a: 1 } }))

    expect(error.message).toContain('options.extraBody is not an option of payments.get')
  })

  it('rejects an extra field that would replace a field of client.request', async () => {
    const { client } = aClient([])
    const raw = { method: 'POST', path: '/reports', body: { from: 1 } } as const
    const error = await failureOf(client.request(raw, { extraBody: { from: 2 } }))

    expect(error.message).toContain('options.extraBody.from is a known field')
  })

  it('includes extra fields in the fingerprint of an idempotency key', async () => {
    const journal = createMemoryJournal()
    const { sandbox } = startSandbox()
    const client = new PaymentsClient(sandbox.clientOptions({ journal }))
    const pay = (tip: number) =>
      client.payments.create(aPayment(), { idempotencyKey: 'pay-1', extraBody: { tip } }).catch((error) => error)

    await pay(1)

    expect(await pay(2)).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', message: expect.stringContaining('was used') })
  })

  it('stores extra fields in the journal, and sends them in operations.run', async () => {
    const { client, requests } = aClient([payment], { journal: createMemoryJournal() })

    const intent = { key: 'pay-1', operation: 'payments.create', body: aPayment(), extraBody: { tip: 1 } } as const
    await client.operations.plan(intent)
    await client.operations.run('pay-1').catch(() => {})

    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ ...aPayment(), tip: 1 })
  })
})
