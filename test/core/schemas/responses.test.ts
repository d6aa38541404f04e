import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import type { ResponseValidationError } from '../../../src/index.js'
import { aClient, failureOf } from '../../support/clients.js'
import { createdSession } from '../../support/responses/client-sessions.js'
import { savedCard } from '../../support/responses/payment-instruments.js'

async function paymentFrom(response: object) {
  const { client } = aClient([response])
  return client.payments.get('pay_1')
}

/** Creates a response from JSON that `JSON.stringify` cannot produce. */
const json = (body: string, init?: ResponseInit) => new Response(body, init)

describe('the parsing of a valid response', () => {
  it('accepts unknown values in every enum of a response', async () => {
    const response = {
      id: 'pay_1',
      status: 'PARTIALLY_SETTLED',
      currencyCode: 'XTS',
      paymentMethod: {
        paymentType: 'NEW',
        threeDSecureAuthentication: { responseCode: 'NEW', reasonCode: 'NEW' },
        paymentMethodData: { network: 'NEW', binData: { network: 'NEW', accountFundingType: 'NEW' } },
      },
      requiredAction: { name: 'NEW' },
      statusReason: { type: 'NEW', declineType: 'NEW', code: 'NEW' },
      transactions: [{ transactionType: 'NEW', processorStatus: 'PARTIALLY_SETTLED' }],
      riskData: { fraudCheck: { preAuthorizationResult: 'NEW', postAuthorizationResult: 'NEW' } },
    }

    expect(await paymentFrom(response)).toEqual(response)
  })

  it('keeps null and booleans in metadata', async () => {
    const metadata = { a: null, b: true, c: { d: [null] }, e: 1.5 }

    expect((await paymentFrom({ id: 'pay_1', metadata })).metadata).toStrictEqual(metadata)
  })

  it.each(['true', 'false'])('accepts the string %j instead of a boolean in a response', async (isVaulted) => {
    const payment = await paymentFrom({ id: 'pay_1', paymentMethod: { isVaulted } })

    expect(payment.paymentMethod?.isVaulted).toBe(isVaulted === 'true')
  })

  it.each([
    [{ type: 'TAX_SERVICE', code: 'UNAVAILABLE', message: 'Try later' }],
    [[{ type: 'TAX_SERVICE', code: null }, { message: 'Two' }]],
    [[]],
  ])('accepts the warnings %j in a response', async (warnings) => {
    const { client } = aClient([{ ...createdSession, warnings }])

    const created = await client.clientSessions.create()

    expect(created.warnings).toEqual(JSON.parse(JSON.stringify(warnings), (_, value) => value ?? undefined))
  })
})

describe('the validation of a response', () => {
  it('throws an error with all issues and the raw data, without a retry', async () => {
    const body = { id: 'pay_1', amount: 'a-secret', orderId: null, customer: { firstName: 5 } }
    const { client, requests } = aClient([body], { maxRetries: 2 })

    const error = (await failureOf(client.payments.capture('pay_1'))) as ResponseValidationError

    expect(error).toMatchObject({
      name: 'ResponseValidationError',
      code: 'ERR_RESPONSE_VALIDATION',
      outcome: 'accepted',
      httpStatus: 200,
      operation: 'payments.capture',
      resourceId: 'pay_1',
      idempotencyKey: requests[0]?.headers['x-idempotency-key'],
      attempts: [{ number: 1, status: 200, code: 'ERR_RESPONSE_VALIDATION' }],
      issues: [
        { path: ['amount'], code: 'invalid_type', message: 'must be an integer' },
        { path: ['customer', 'firstName'], code: 'invalid_type', message: 'must be a string' },
      ],
    })
    expect(error.data).toEqual(body)
    expect(requests).toHaveLength(1)
  })

  const tooLarge = { code: 'out_of_range', message: 'is too large to be exact' }
  const notAnInteger = { code: 'invalid_type', message: 'must be an integer' }

  it.each([
    ['9007199254740993', tooLarge],
    ['9007199254740992', tooLarge],
    ['-9007199254740993', tooLarge],
    ['1e21', tooLarge],
    ['1e400', notAnInteger],
    ['-1e400', notAnInteger],
    ['700.5', notAnInteger],
    ['1e-7', notAnInteger],
  ])('rejects the amount %s, which is not an exact integer', async (amount, problem) => {
    const fields: [object, path: (string | number)[]][] = [
      [{ amount: 0 }, ['amount']],
      [{ processor: { amountCaptured: 0 } }, ['processor', 'amountCaptured']],
      [{ transactions: [{ amount: 0 }] }, ['transactions', 0, 'amount']],
      [{ order: { lineItems: [{ amount: 0 }] } }, ['order', 'lineItems', 0, 'amount']],
    ]
    for (const [field, path] of fields) {
      const { client } = aClient([json(JSON.stringify({ id: 'pay_1', ...field }).replace(':0', `:${amount}`))])

      const error = (await failureOf(client.payments.capture('pay_1'))) as ResponseValidationError

      expect(error).toMatchObject({ outcome: 'accepted', issues: [{ path, ...problem }] })
      expect(error.message).not.toContain(amount)
    }
  })

  it.each(['9007199254740991', '700.0', '7e2', '0', '-700'])('accepts the amount %s', async (amount) => {
    const { client } = aClient([json(`{"id":"pay_1","amount":${amount}}`)])

    expect((await client.payments.get('pay_1')).amount).toBe(Number(amount))
  })

  it.each(['12', '"text"', 'null', 'true', '[]', '[{"id":"pay_1"}]'])(
    'rejects the body %s in every responseValidation mode',
    async (body) => {
      for (const responseValidation of ['throw', 'report', 'off'] as const) {
        const { client } = aClient([json(body)], { responseValidation })
        expect(await failureOf(client.payments.get('pay_1'))).toMatchObject({
          code: 'ERR_RESPONSE_VALIDATION',
          outcome: 'accepted',
        })
      }
    },
  )
})

describe('the parsing of a response with more than 1,000 invalid values', () => {
  const many = (item: string) => Array.from({ length: 200_000 }, () => item).join()
  const kinds: Record<string, string> = {
    'payments without an id': `{"data":[${many('{}')}]}`,
    'one payment with numbers instead of transactions': `{"data":[{"id":"1","transactions":[${many('5')}]}]}`,
  }

  it.each(Object.entries(kinds))(
    'rejects a response with over 1,000 invalid values after one request: %s',
    async (_kind, body) => {
      const { client, requests } = aClient([json(body)], { maxRetries: 2 })

      const error = (await failureOf(client.payments.list())) as ResponseValidationError

      expect(error).toMatchObject({ name: 'ResponseValidationError', outcome: 'accepted' })
      expect(error.issues).toHaveLength(1_000)
      expect(requests).toHaveLength(1)
    },
  )

  it('keeps the raw response in error.data, which is not printed', async () => {
    const page = { data: Array.from({ length: 2_000 }, () => ({ id: 1, orderId: null, transactions: [{}, 5] })) }

    const error = (await failureOf(aClient([page]).client.payments.list())) as ResponseValidationError

    expect(error.issues).toHaveLength(1_000)
    expect(error.data).toEqual(page)
    expect(inspect(error)).not.toContain('orderId')
  })

  it('reports invalid items that follow valid items in a long response', async () => {
    const items = (length: number, item: string) => Array.from({ length }, () => item).join()
    const { client } = aClient([json(`{"data":[${items(10_000, '{"id":"pay_1"}')},${items(200_000, '{}')}]}`)])

    const error = (await failureOf(client.payments.list())) as ResponseValidationError

    expect(error.issues).toHaveLength(1_000)
    expect(error.issues[0]).toMatchObject({ path: ['data', 10_000, 'id'], code: 'missing' })
  })
})

describe("a client with responseValidation: 'report'", () => {
  const invalid = { id: 'pay_1', amount: 'a-secret', transactions: [{ amount: 1.5 }, { amount: 2.5 }] }

  it('returns the response, and reports each issue only the first time', async () => {
    const onResponseIssue = vi.fn()
    const { client } = aClient([invalid, invalid, { id: 'pay_1', amount: 1.5, status: 5, orderId: 5 }], {
      responseValidation: 'report',
      hooks: { onResponseIssue },
    })

    const payment = await client.payments.get('pay_1')
    await client.payments.get('pay_1')
    await client.payments.get('pay_1')

    const code = 'invalid_type'
    expect(payment).toEqual(invalid)
    expect(onResponseIssue.mock.calls.map(([{ issue }]) => issue)).toEqual([
      { path: ['amount'], code, message: 'must be an integer' },
      { path: ['transactions', 0, 'amount'], code, message: 'must be an integer' },
      { path: ['status'], code, message: 'must be a string' },
      { path: ['orderId'], code, message: 'must be a string' },
    ])
    expect(onResponseIssue.mock.calls[0]).toMatchObject([
      { operation: 'payments.get', method: 'GET', path: '/payments/:id', attempt: 1 },
    ])
  })

  it('logs field paths without values', async () => {
    const warn = vi.fn()
    const { client } = aClient([invalid], {
      responseValidation: 'report',
      logger: { debug() {}, info() {}, warn, error() {} },
    })

    await client.payments.get('pay_1')

    const line = 'payments.get (GET /payments/:id), attempt 1: the response violates the contract:'
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining(`${line} amount must be an integer`),
      expect.stringContaining(`${line} transactions[0].amount must be an integer`),
    ])
    expect(JSON.stringify(warn.mock.calls)).not.toContain('a-secret')
  })
})

describe("a client with responseValidation: 'off'", () => {
  it('returns the response unchanged', async () => {
    const onResponseIssue = vi.fn()
    const response = { amount: 'text', orderId: null }
    const { client } = aClient([response, { data: [{ token: 5 }, savedCard] }], {
      responseValidation: 'off',
      hooks: { onResponseIssue },
    })

    expect(await client.payments.get('pay_1')).toStrictEqual(response)
    expect(await client.paymentInstruments.list({ customerId: 'customer-1' })).toStrictEqual([{ token: 5 }, savedCard])
    expect(onResponseIssue).not.toHaveBeenCalled()
  })

  it('returns a long response even if it has more than 1,000 invalid values', async () => {
    const { client } = aClient([json(`{"data":[${'{},'.repeat(400_000)}{}]}`)], { responseValidation: 'off' })

    expect((await client.payments.list()).data).toHaveLength(400_001)
  })
})
