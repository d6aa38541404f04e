import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { aClient } from '../support/recording-fetch.js'
import { issuesOf } from '../support/rejection.js'
import { authorizedPayment } from '../support/responses/payments.js'

// Properties make hundreds of calls.
vi.setConfig({ testTimeout: 30_000 })

type Call = (client: PaymentsClient, value: never) => PromiseLike<unknown>

describe('a body', () => {
  const needed: Record<string, Call> = {
    'payments.create': (client, body) => client.payments.create(body),
    'payments.authorize': (client, body) => client.payments.authorize('pay_1', body),
    'payments.adjustAuthorization': (client, body) => client.payments.adjustAuthorization('pay_1', body),
    'payments.resume': (client, body) => client.payments.resume('pay_1', body),
    'clientSessions.update': (client, body) => client.clientSessions.update('client_token_1', body),
    'paymentInstruments.vault': (client, body) => client.paymentInstruments.vault('tok_1', body),
    'observability.payments.create': (client, body) => client.observability.payments.create(body),
    'observability.payments.update': (client, body) => client.observability.payments.update('external-1', body),
    'loyalty.transactions.create': (client, body) => client.loyalty.transactions.create(body),
  }
  const optional: Record<string, Call> = {
    'payments.capture': (client, body) => client.payments.capture('pay_1', body),
    'payments.cancel': (client, body) => client.payments.cancel('pay_1', body),
    'payments.refund': (client, body) => client.payments.refund('pay_1', body),
    'clientSessions.create': (client, body) => client.clientSessions.create(body),
  }

  it.each(Object.entries(needed))('of %s must not be left out', async (name, call) => {
    const issues = await issuesOf((client) => call(client, undefined as never))

    expect(issues).toEqual([`body must be an object of the fields that ${name} takes`])
  })

  it.each(Object.entries({ ...needed, ...optional }))('of %s must be an object', async (name, call) => {
    for (const body of [null, [], 'text', 5, true]) {
      const issues = await issuesOf((client) => call(client, body as never))
      expect(issues).toEqual([`body must be an object of the fields that ${name} takes`])
    }
  })

  it.each(Object.entries({ ...needed, ...optional }))('of %s must not have unknown fields', async (_name, call) => {
    const issues = await issuesOf((client) => call(client, { nothing_of_the_kind: 700 } as never))

    expect(issues).toContain('nothing_of_the_kind is not a field of this request')
  })

  it.each([
    [{ amuont: 700 }, ['amuont is not a field of this request: did you mean "amount"?']],
    [{ Amount: 700 }, ['Amount is not a field of this request: did you mean "amount"?']],
    [{ order_id: 'order-17' }, ['order_id is not a field of this request: did you mean "orderId"?']],
    [
      { xyz: 1, currency: 'EUR' },
      ['xyz is not a field of this request', 'currency is not a field of this request: did you mean "currencyCode"?'],
    ],
  ])('with %j is told which fields were probably meant', async (fields, expected) => {
    const body = { paymentMethodToken: 'tok_1', ...fields }

    expect(await issuesOf((client) => client.payments.create(body))).toEqual(expected)
  })

  it('must not have unknown fields further inside', async () => {
    const issues = await issuesOf((client) =>
      client.payments.create({
        paymentMethodToken: 'tok_1',
        // @ts-expect-error Misspelt.
        customer: { billingAddress: { zip: '10117', postCode: '10117' }, email: 'zoe@example.com' },
        order: {
          // @ts-expect-error Misspelt.
          lineItems: [{ name: 'Kettle' }, { price: 5, quantitiy: 2 }],
        },
        // @ts-expect-error Misspelt.
        paymentMethod: { vaultOnSucces: true },
      }),
    )

    expect(issues.sort()).toEqual([
      'customer.billingAddress.postCode is not a field of this request: did you mean "postalCode"?',
      'customer.billingAddress.zip is not a field of this request',
      'customer.email is not a field of this request',
      'order.lineItems.1.price is not a field of this request',
      'order.lineItems.1.quantitiy is not a field of this request: did you mean "quantity"?',
      'paymentMethod.vaultOnSucces is not a field of this request: did you mean "vaultOnSuccess"?',
    ])
  })

  it.each<[string, Call, object, string[]]>([
    ['payments.create', needed['payments.create']!, {}, ['paymentMethodToken is missing: it must be a string']],
    [
      'payments.create',
      needed['payments.create']!,
      { paymentMethodToken: '' },
      ['paymentMethodToken must not be empty'],
    ],
    ['payments.authorize', needed['payments.authorize']!, {}, ['processor is missing: it must be an object']],
    [
      'payments.authorize',
      needed['payments.authorize']!,
      { processor: { name: 'PROCESSOR_A' } },
      ['processor.processorMerchantId is missing: it must be a string'],
    ],
    [
      'payments.adjustAuthorization',
      needed['payments.adjustAuthorization']!,
      {},
      ['amount is missing: it must be an integer'],
    ],
    ['payments.resume', needed['payments.resume']!, {}, ['resumeToken is missing: it must be a string']],
    [
      'paymentInstruments.vault',
      needed['paymentInstruments.vault']!,
      {},
      ['customerId is missing: it must be a string'],
    ],
    [
      'observability.payments.create',
      needed['observability.payments.create']!,
      {},
      [
        'paymentId is missing: it must be a string',
        'currencyCode is missing: it must be a string',
        'processor is missing: it must be an object',
        'amount is missing: it must be an integer',
        'createdAt is missing: it must be a string',
        'order is missing: it must be an object',
        'paymentMethod is missing: it must be an object',
      ],
    ],
    [
      'loyalty.transactions.create',
      needed['loyalty.transactions.create']!,
      {},
      [
        'connectionId is missing: it must be a string',
        'customerId is missing: it must be a string',
        'orderId is missing: it must be a string',
        'value is missing: it must be an integer',
      ],
    ],
  ])('of %s must have what is required', async (_name, call, body, expected) => {
    expect(await issuesOf((client) => call(client, body as never))).toEqual(expected)
  })

  it.each(Object.entries(optional))('of %s must not have an option among its fields', async (_name, call) => {
    const fields = { idempotencyKey: 'key-1', maxRetries: 0, resend: true }

    const issues = await issuesOf((client) => call(client, fields as never))

    expect(issues).toEqual([
      'idempotencyKey is an option: pass it in the argument after this one',
      'maxRetries is an option: pass it in the argument after this one',
      'resend is an option: pass it in the argument after this one',
    ])
  })

  it('may not have an option further inside either, where it is just an unknown field', async () => {
    const customer = { timeout: 5 } as object

    const issues = await issuesOf((client) => client.clientSessions.create({ customer }))

    expect(issues).toEqual(['customer.timeout is not a field of this request'])
  })

  it.each([undefined, null, 5, ['client_token_1']])('goes with an identity, which must not be %j', async (token) => {
    const changes = { clientToken: 'client_token_1', amount: 5 }

    const issues = await issuesOf((client) => client.clientSessions.update(token as never, changes as object))

    expect(issues).toEqual([`clientToken ${token === undefined ? 'is missing: it ' : ''}must be a string`])
  })

  it('must not have the identity among its fields', async () => {
    const changes = { clientToken: 'client_token_2', amount: 5 } as object

    const issues = await issuesOf((client) => client.clientSessions.update('client_token_1', changes))

    expect(issues).toEqual(['clientToken is the first argument'])
  })

  it('must hold its fields itself: a getter of a class would not be sent, and would mean the full amount', async () => {
    class Refund {
      get amount() {
        return 100
      }
    }
    class PartialRefund extends Refund {
      reason = 'broken lid'
    }

    const issues = await issuesOf((client) => client.payments.refund('pay_1', new PartialRefund()))

    expect(issues).toEqual(['amount is inherited, so JSON would omit it: copy the data into a plain object'])
  })

  it('says where inherited fields are', async () => {
    const line = Object.create({ amount: 5 }, { name: { value: 'Kettle', enumerable: true } })

    const issues = await issuesOf((client) => client.clientSessions.create({ order: { lineItems: [{}, line] } }))

    expect(issues).toEqual([expect.stringMatching(/^order\.lineItems\.1\.amount is inherited/)])
  })

  it('may be an object of a class, or of no prototype, that holds its fields itself', async () => {
    class Refund {
      amount = 100
      double() {
        return this.amount * 2
      }
    }
    const { client, requests } = aClient([authorizedPayment, authorizedPayment])

    await client.payments.refund('pay_1', new Refund())
    await client.payments.refund('pay_1', Object.assign(Object.create(null), { amount: 100 }))

    expect(requests.map(({ body }) => body)).toEqual(['{"amount":100}', '{"amount":100}'])
  })

  it('is written down when the call is made, whatever happens to it afterwards', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const body = { amount: 100, reason: 'broken lid' }

    const refunding = client.payments.refund('pay_1', body)
    body.amount = 999
    await refunding

    expect(requests[0]?.body).toBe('{"amount":100,"reason":"broken lid"}')
  })

  it('that cannot be written as JSON is refused', async () => {
    const surcharge: Record<string, unknown> = {}
    surcharge['again'] = surcharge

    const issues = await issuesOf((client) =>
      client.clientSessions.create({ paymentMethod: { options: { PAYMENT_CARD: { surcharge } } } }),
    )

    expect(issues).toEqual(['paymentMethod is nested more than 500 levels deep'])
  })

  it('of any depth is refused or sent, but never breaks', async () => {
    let surcharge: Record<string, unknown> = {}
    for (let depth = 0; depth < 100_000; depth++) surcharge = { surcharge }

    const issues = await issuesOf((client) =>
      client.clientSessions.create({ paymentMethod: { options: { PAYMENT_CARD: { surcharge } } } }),
    )

    expect(issues).toEqual(['paymentMethod is nested more than 500 levels deep'])
  })

  it('of any shape is refused or sent, but never breaks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ maxDepth: 4 }), async (body) => {
        const { client, requests } = aClient([authorizedPayment])

        const outcome = await client.payments.create(body as never).then(
          () => 'sent',
          (error: { code: string }) => error.code,
        )

        expect([
          ['sent', 1],
          ['ERR_REQUEST_VALIDATION', 0],
        ]).toContainEqual([outcome, requests.length])
      }),
    )
  })
})
