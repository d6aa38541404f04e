import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ApiError, type PaymentsClient, PaymentsError, ResponseValidationError } from '../../src/index.js'
import { aClient } from '../support/recording-fetch.js'
import { savedCard } from '../support/responses/payment-instruments.js'
import { refundedPayment } from '../support/responses/payments.js'

// Properties make hundreds of calls.
vi.setConfig({ testTimeout: 30_000 })

/** What comes is text, so that a test can hold what JavaScript would not write. */
const json = (text: string, init?: ResponseInit) => new Response(text, init)

async function failure(call: PromiseLike<unknown>): Promise<PaymentsError> {
  const error = await Promise.resolve(call).then(
    () => expect.unreachable('The answer was accepted'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(PaymentsError)
  return error as PaymentsError
}

describe('an answer that breaks the contract', () => {
  it('throws: the operation took effect, is not repeated, and what came can be reached', async () => {
    const { client, requests } = aClient([{ id: 'pay_1', amount: 'a-secret', customer: { firstName: 5 } }], {
      maxRetries: 2,
    })

    const error = (await failure(client.payments.capture('pay_1'))) as ResponseValidationError

    expect(error).toBeInstanceOf(ResponseValidationError)
    expect(error).toMatchObject({
      code: 'ERR_RESPONSE_VALIDATION',
      outcome: 'accepted',
      operation: 'payments.capture',
      resourceId: 'pay_1',
      idempotencyKey: requests[0]?.headers['x-idempotency-key'],
      attempts: [{ number: 1, status: 200, code: 'ERR_RESPONSE_VALIDATION' }],
    })
    expect(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).sort()).toEqual([
      'amount must be an integer',
      'customer.firstName must be a string',
    ])
    expect(error.data).toEqual({ id: 'pay_1', amount: 'a-secret', customer: { firstName: 5 } })
    expect(requests).toHaveLength(1)
  })

  it('is reachable by name only, and in no text', async () => {
    const { client } = aClient([{ id: 'pay_1', amount: 'a-secret' }])

    const error = await failure(client.payments.get('pay_1'))

    const texts = [error.message, error.stack, String(error), JSON.stringify(error)]
    texts.push(inspect(error, { depth: 9, showHidden: true }))
    expect(Object.keys(error)).not.toContain('data')
    expect(texts.join()).not.toContain('a-secret')
  })

  it.each([
    ['9007199254740993', 'out_of_range', 'is too large to be exact'],
    ['-9007199254740993', 'out_of_range', 'is too large to be exact'],
    ['9007199254740992', 'out_of_range', 'is too large to be exact'],
    ['1e21', 'out_of_range', 'is too large to be exact'],
    ['1e400', 'invalid_type', 'must be an integer'],
    ['-1e400', 'invalid_type', 'must be an integer'],
    ['700.5', 'invalid_type', 'must be an integer'],
    ['0.1', 'invalid_type', 'must be an integer'],
  ])('is one with the amount %s, which would be rounded', async (amount, code, message) => {
    const { client } = aClient([json(`{"id":"pay_1","processor":{"amountCaptured":${amount}}}`)])

    const error = (await failure(client.payments.get('pay_1'))) as ResponseValidationError

    expect(error.issues).toEqual([{ path: ['processor', 'amountCaptured'], code, message }])
    expect(error.message).not.toContain(amount)
  })

  it.each(['9007199254740991', '700.0', '7e2', '0', '-700'])('is not one with the amount %s', async (amount) => {
    const { client } = aClient([json(`{"id":"pay_1","amount":${amount}}`)])

    expect((await client.payments.get('pay_1')).amount).toBe(Number(amount))
  })

  it.each(['12', '"text"', 'null', 'true', '[]', '[{"id":"pay_1"}]'])('is %s, which is no object', async (text) => {
    for (const responseValidation of ['throw', 'report', 'off'] as const) {
      const { client } = aClient([json(text)], { responseValidation })
      const error = await failure(client.payments.get('pay_1'))
      expect(error).toMatchObject({ code: 'ERR_RESPONSE_VALIDATION', outcome: 'accepted' })
    }
  })

  it.each([500, 5000])('is one that is nested %i levels deep where something else belongs', async (depth) => {
    const { client } = aClient([json(`{"id":"pay_1","customer":${'['.repeat(depth)}${']'.repeat(depth)}}`)])

    expect(await failure(client.payments.get('pay_1'))).toMatchObject({ outcome: 'accepted' })
  })

  it('is never anything but an error of this package, whatever comes', async () => {
    const answers = fc.oneof(
      fc.json(),
      fc.json().map((text) => `{"id":"pay_1","transactions":${text}}`),
    )
    const calls = [
      (client: PaymentsClient) => client.payments.get('pay_1'),
      (client: PaymentsClient) => client.payments.list(),
      (client: PaymentsClient) => client.clientSessions.get('client_token_1'),
      (client: PaymentsClient) => client.paymentInstruments.list({ customerId: 'customer-1' }),
      (client: PaymentsClient) => client.loyalty.transactions.list(),
    ]
    const modes = fc.constantFrom('throw' as const, 'report' as const, 'off' as const)

    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom(...calls), modes, async (answer, call, responseValidation) => {
        const { client } = aClient([json(answer)], { responseValidation })

        const error = await Promise.resolve(call(client)).then(
          () => undefined,
          (reason: unknown) => reason,
        )

        if (error !== undefined) expect(error).toBeInstanceOf(PaymentsError)
      }),
      { numRuns: 500 },
    )
  })
})

describe('an answer without a body', () => {
  const request = (client: PaymentsClient) => client.request({ method: 'POST', path: '/payouts' })

  it('is one where nothing is due', async () => {
    const { client } = aClient([new Response('')])

    expect(await request(client)).toBeUndefined()
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, HeadersInit]>([
    ['a payment is due', (client) => client.payments.get('pay_1'), {}],
    ['something was compressed', request, { 'content-encoding': 'gzip' }],
  ])('was cut off where %s', async (_what, call, headers) => {
    const { client } = aClient([new Response('', { headers })])

    const error = await failure(call(client))

    expect(error).toMatchObject({ name: 'UnreadableResponseError', reason: 'empty', outcome: 'accepted' })
  })

  it('is no success with the status 300', async () => {
    const { client } = aClient([Response.json(refundedPayment, { status: 300 })])

    expect(await failure(client.payments.get('pay_1'))).toMatchObject({ name: 'ApiError', status: 300 })
  })
})

describe('an answer with an error in it', () => {
  it('is not taken for a payment, although its status says success', async () => {
    const error = { errorId: 'PaymentNotFinished', description: 'Poll the payment', diagnosticsId: 'diagnostics-1' }
    const { client } = aClient([Response.json({ error }, { status: 202 })])

    const thrown = await failure(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect(thrown).toBeInstanceOf(ApiError)
    expect(thrown).toMatchObject({ status: 202, outcome: 'unknown', errorId: 'PaymentNotFinished', body: { error } })
  })
})

describe("responseValidation: 'report'", () => {
  const broken = { id: 'pay_1', amount: 'a-secret', transactions: [{ amount: 1.5 }, { amount: 2.5 }] }

  it('returns what came, and tells once per new issue where it is wrong', async () => {
    const onResponseIssue = vi.fn()
    const { client } = aClient([broken, broken, { id: 'pay_1', amount: 1.5, status: 5 }], {
      responseValidation: 'report',
      hooks: { onResponseIssue },
    })

    const payment = await client.payments.get('pay_1')
    await client.payments.get('pay_1')
    await client.payments.get('pay_1')

    const event = { operation: 'payments.get', method: 'GET', path: '/payments/:id', attempt: 1 }
    expect(payment).toEqual(broken)
    expect(onResponseIssue.mock.calls.map(([call]) => call)).toEqual([
      { ...event, issue: { path: ['amount'], code: 'invalid_type', message: 'must be an integer' } },
      { ...event, issue: { path: ['transactions', 0, 'amount'], code: 'invalid_type', message: 'must be an integer' } },
      { ...event, issue: { path: ['status'], code: 'invalid_type', message: 'must be a string' } },
    ])
  })

  it('tells of every field that is wrong in the same way', async () => {
    const onResponseIssue = vi.fn()
    const { client } = aClient([{ id: 'pay_1', customerId: 5, orderId: 5 }], {
      responseValidation: 'report',
      hooks: { onResponseIssue },
    })

    await client.payments.get('pay_1')

    expect(onResponseIssue.mock.calls.map(([{ issue }]) => issue.path).sort()).toEqual([['customerId'], ['orderId']])
  })

  it('tells a copy of the client nothing that it told before', async () => {
    const onResponseIssue = vi.fn()
    const { client } = aClient([broken, broken], { responseValidation: 'report', hooks: { onResponseIssue } })

    await client.payments.get('pay_1')
    onResponseIssue.mockClear()
    await client.withOptions({ timeout: 5000 }).payments.get('pay_1')

    expect(onResponseIssue).not.toHaveBeenCalled()
  })

  it('tells the logger where, and never what', async () => {
    const warn = vi.fn()
    const logger = { debug() {}, info() {}, warn, error() {} }
    const { client } = aClient([broken], { responseValidation: 'report', logger })

    await client.payments.get('pay_1')

    const place = 'payments.get (GET /payments/:id), attempt 1: the response violates the contract:'
    expect(warn.mock.calls).toEqual([
      [`${place} amount must be an integer`],
      [`${place} transactions[0].amount must be an integer`],
    ])
  })

  it('changes nothing about an answer that fits', async () => {
    const onResponseIssue = vi.fn()
    const { client } = aClient([{ ...refundedPayment, orderId: null }], {
      responseValidation: 'report',
      hooks: { onResponseIssue },
    })

    expect(await client.payments.get('pay_1')).toEqual({ ...refundedPayment, orderId: undefined })
    expect(onResponseIssue).not.toHaveBeenCalled()
  })
})

describe("responseValidation: 'off'", () => {
  it('returns what came without a look at it', async () => {
    const onResponseIssue = vi.fn()
    const answer = { amount: 'text', orderId: null }
    const { client } = aClient([answer, { data: [{ token: 5 }, savedCard] }], {
      responseValidation: 'off',
      hooks: { onResponseIssue },
    })

    expect(await client.payments.get('pay_1')).toStrictEqual(answer)
    expect(await client.paymentInstruments.list({ customerId: 'customer-1' })).toStrictEqual([{ token: 5 }, savedCard])
    expect(onResponseIssue).not.toHaveBeenCalled()
  })

  it('still does not take an answer without items for the end of a list', async () => {
    const { client } = aClient([{ rows: [] }, { rows: [] }], { responseValidation: 'off' })

    expect(await failure(client.payments.list())).toMatchObject({ code: 'ERR_PAGINATION' })
    expect(await failure(client.loyalty.transactions.list().toArray({ limit: 5 }))).toMatchObject({
      code: 'ERR_PAGINATION',
    })
  })
})
