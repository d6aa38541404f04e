import { describe, expect, it } from 'vitest'
import { toDate } from '../../src/index.js'
import { aClient } from '../support/recording-fetch.js'
import { createdSession } from '../support/responses/client-sessions.js'
import { authorizedPayment } from '../support/responses/payments.js'

/** What a client makes of a payment that comes as this. */
async function paymentFrom(answer: object) {
  const { client } = aClient([answer])
  return client.payments.get('pay_1')
}

/** What comes is text, so that a test can hold what JavaScript would not write. */
const json = (text: string, init?: ResponseInit) => new Response(text, init)

describe('an answer may', () => {
  it.each(['PARTIALLY_SETTLED', 'SOMETHING_NEW'])('have the status %s', async (status) => {
    expect(await paymentFrom({ id: 'pay_1', status })).toEqual({ id: 'pay_1', status })
  })

  it('have new values in every enumeration', async () => {
    const answer = {
      id: 'pay_1',
      currencyCode: 'XTS',
      paymentMethod: {
        paymentType: 'NEW',
        paymentMethodType: 'NEW',
        authorizationType: 'NEW',
        threeDSecureAuthentication: { responseCode: 'NEW', reasonCode: 'NEW' },
        paymentMethodData: { network: 'NEW', binData: { network: 'NEW', accountFundingType: 'NEW' } },
      },
      requiredAction: { name: 'NEW' },
      statusReason: { type: 'NEW', declineType: 'NEW', code: 'NEW' },
      transactions: [{ transactionType: 'NEW', processorStatus: 'PARTIALLY_SETTLED' }],
      riskData: { fraudCheck: { preAuthorizationResult: 'NEW', postAuthorizationResult: 'NEW' } },
    }

    expect(await paymentFrom(answer)).toEqual(answer)
  })

  it.each([
    '2023-02-21T15:36:16.367687',
    '2023-02-21T15:36:16.36768',
    '2023-02-21 15:36:16.367687',
    '2023-02-21',
    '2023-02-21T15:36:16Z',
  ])('have the date %s, which stays as it came and can be read', async (date) => {
    const payment = await paymentFrom({ id: 'pay_1', date })

    expect(payment.date).toBe(date)
    expect(toDate(payment.date ?? '').getUTCDate()).toBe(21)
  })

  it('have null and booleans in metadata, where null stays', async () => {
    const metadata = { a: null, b: true, c: { d: [null] }, e: 1.5 }

    expect((await paymentFrom({ id: 'pay_1', metadata })).metadata).toStrictEqual(metadata)
  })

  it.each(['true', 'false'])('spell a boolean as the text %j, which reads as the boolean', async (isVaulted) => {
    const payment = await paymentFrom({ id: 'pay_1', paymentMethod: { isVaulted } })

    expect(payment.paymentMethod?.isVaulted).toBe(isVaulted === 'true')
  })

  it('have the fields that some accounts see, which stay', async () => {
    const answer = {
      id: 'pay_1',
      riskData: { fraudChecks: [{ source: 'CHECKER' }] },
      transactions: [{ type: 'REFUND', processorStatus: 'SETTLING' }],
      processor: { processor_merchant_id: 'merchant-a' },
      customer: { email: 'zoe@example.com' },
    }

    expect(await paymentFrom(answer)).toEqual(answer)
  })

  it.each([
    ['PAYPAL', { externalPayerInfo: { email: 'zoe@example.com' } }],
    ['KLARNA', { sessionData: { tokenDetails: null } }],
    ['DIRECT_DEBIT', { accountNumberLast4Digits: '3000', mandate: { id: 'mandate_1' } }],
    ['APPLE_PAY', { last4Digits: '1111', network: 'Visa' }],
  ])('have the payment method data of %s', async (paymentMethodType, paymentMethodData) => {
    const answer = { id: 'pay_1', paymentMethod: { paymentMethodType, paymentMethodData } }

    expect(await paymentFrom(answer)).toEqual(answer)
  })

  it('name payment instruments differently for a saved payment method', async () => {
    const answer = { token: 'tok_1', paymentInstrumentType: 'PAYMENT_CARD', paymentInstrumentData: { network: 'Visa' } }
    const { client } = aClient([answer])

    expect(await client.paymentInstruments.vault('tok_1', { customerId: 'customer-1' })).toEqual(answer)
  })

  it.each([
    [{ type: 'TAX_SERVICE', code: 'UNAVAILABLE', message: 'Try later' }],
    [[{ type: 'TAX_SERVICE', code: null }, { message: 'Two' }]],
    [[]],
  ])('warn in the form %j', async (warnings) => {
    const { client } = aClient([{ ...createdSession, warnings }])

    const created = await client.clientSessions.create()

    expect(created.warnings).toEqual(JSON.parse(JSON.stringify(warnings), (_, value) => value ?? undefined))
  })

  it.each([200, 201, 202, 299])('have the status %i', async (status) => {
    const { client } = aClient([Response.json(authorizedPayment, { status })])

    expect(await client.payments.create({ paymentMethodToken: 'tok_1' })).toEqual(authorizedPayment)
  })

  it('be a row of a list with little in it', async () => {
    const row = {
      id: 'pay_1',
      date: '2023-02-21T15:36:16.367687',
      dateUpdated: '2023-02-21T15:36:17.1',
      status: 'SETTLED',
      orderId: 'order-17',
      currencyCode: 'EUR',
      amount: 700,
      processor: { name: 'PROCESSOR_A', processorMerchantId: null },
      metadata: {},
    }
    const { client } = aClient([{ data: [row, { id: 'pay_2' }], nextCursor: null }])

    const page = await client.payments.list()

    expect(page.data).toEqual([{ ...row, processor: { name: 'PROCESSOR_A' } }, { id: 'pay_2' }])
    expect(page.hasNextPage).toBe(false)
  })

  it('be nested deeply where nothing is asked of it', async () => {
    const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`
    const { client } = aClient([json(`{"id":"pay_1","metadata":{"deep":${deep}},"new":${deep}}`)])

    const payment = await client.payments.get('pay_1')

    expect(payment.id).toBe('pay_1')
  })
})

describe('a prototype', () => {
  it('is not changed by anything that comes', async () => {
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const { client } = aClient([
      json(`{"id":"pay_1","metadata":${hostile},"customer":${hostile},"__proto__":{"polluted":1}}`),
      json(`{"paymentMethod":{"options":${hostile}},"metadata":${hostile}}`),
    ])

    const payment = await client.payments.get('pay_1')
    const session = await client.clientSessions.get('client_token_1')

    for (const object of [payment, payment.customer, payment.metadata, session.paymentMethod, session.metadata, {}]) {
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
      expect(Reflect.get(object ?? {}, 'polluted')).toBeUndefined()
    }
  })
})
