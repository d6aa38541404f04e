import { describe, expect, it } from 'vitest'
import type { SandboxOptions, ScenarioName } from '../../../src/testing/index.js'
import { leastExternalPayment } from '../../support/external-payment.js'
import { aPayment, refusal, send, startSandbox } from '../../support/start-sandbox.js'

type Started = ReturnType<typeof startSandbox>
type Input = [method: string, path: string, details?: Parameters<typeof send>[3]]

/** Prepares the sandbox, and returns a request that the sandbox rejects. */
type Prepare = (started: Started) => Input | Promise<Input>

const customerId = 'customer-1'
const points = { connectionId: 'connection-1', customerId, orderId: 'order-17', value: 1 }

/** Creates a payment, captures the given amount if any, and returns a request to change the payment. */
function change(action: string, scenario: ScenarioName, captured?: number, body?: object) {
  return async ({ client, sandbox }: Started): Promise<Input> => {
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
    if (captured !== undefined) await client.payments.capture(id, { amount: captured })
    return ['POST', `/payments/${id}/${action}`, { body }]
  }
}

async function reuseKey({ client }: Started): Promise<Input> {
  await client.payments.create(aPayment(), { idempotencyKey: 'key-1' })
  return ['POST', '/payments', { body: aPayment({ amount: 1 }), headers: { 'x-idempotency-key': 'key-1' } }]
}

async function respond(started: Started, prepare: Prepare) {
  return send(started.sandbox, ...(await prepare(started)))
}

describe('an error response of the sandbox', () => {
  it.each<[response: string, Prepare]>([
    ['404 RouteNotFound: The service has no such endpoint', () => ['GET', '/nowhere']],
    ['400 MalformedPath: The path is not properly encoded', () => ['GET', '/payments/%E0']],
    ['400 MalformedRequest: The body of the request is not JSON', () => ['POST', '/payments', { body: '{' }]],
    [
      '401 Unauthorized: The X-Api-Key header is missing or its key is invalid',
      () => ['GET', '/payments', { headers: { 'x-api-key': 'key_of_nobody' } }],
    ],
    [
      '403 Forbidden: The API key lacks the scope transactions:retrieve',
      ({ sandbox }) => ['GET', '/payments', { headers: { 'x-api-key': sandbox.createApiKey({ scopes: [] }) } }],
    ],
    ['409 IdempotencyKeyReused: The idempotency key was used before, with another body', reuseKey],
    ['404 PaymentNotFound: There is no payment with this ID', () => ['GET', '/payments/pay_unknown']],
    [
      '409 InvalidPaymentStatus: payments.capture needs the status AUTHORIZED or SETTLING or SETTLED, but this payment is DECLINED',
      change('capture', 'declined'),
    ],
    [
      '422 CaptureExceedsAuthorizedAmount: The capturable amount of this payment is 5000',
      change('capture', 'card', undefined, { amount: 5001 }),
    ],
    [
      '422 PartialCaptureNotSupported: The processor does not support partial captures',
      change('capture', 'fullCaptureOnly', undefined, { amount: 1 }),
    ],
    [
      '409 PaymentAlreadyRefunded: A refunded payment cannot be cancelled',
      async (started) => {
        const refund = await change('refund', 'slowSettlement', 5000)(started)
        await send(started.sandbox, ...refund)
        return ['POST', refund[1].replace('refund', 'cancel')]
      },
    ],
    ['422 VoidRefused: The processor rejected the void', change('cancel', 'cancelFails')],
    [
      '422 RefundExceedsCapturedAmount: The refundable amount of this payment is 3000',
      change('refund', 'card', 3000, { amount: 3001 }),
    ],
    [
      '422 AuthorizationNotAdjustable: The authorization is not an adjustable estimate',
      change('adjust-authorization', 'card', undefined, { amount: 1 }),
    ],
    [
      '409 PaymentMethodTokenUsed: The payment method token was used before',
      async ({ client, sandbox }) => {
        const body = aPayment({ paymentMethodToken: sandbox.tokenize() })
        await client.payments.create(body)
        return ['POST', '/payments', { body }]
      },
    ],
    [
      '404 PaymentMethodTokenNotFound: There is no payment method with this token',
      () => ['POST', '/payment-instruments/tok_unknown/vault', { body: { customerId } }],
    ],
    [
      '409 PaymentMethodTokenVaulted: The payment method is saved for another customer',
      async ({ client, sandbox }) => {
        const { token } = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-2' })
        return ['POST', `/payment-instruments/${token}/vault`, { body: { customerId } }]
      },
    ],
    [
      '422 VerificationFailed: The verification of the payment method failed, so it was not saved',
      () => ['POST', '/payment-instruments/tok_verification_fails/vault', { body: { customerId, verify: true } }],
    ],
    [
      '404 PaymentMethodNotFound: There is no saved payment method with this token',
      () => ['DELETE', '/payment-instruments/vaulted_unknown'],
    ],
    [
      '404 ClientSessionNotFound: There is no client session with this token',
      () => ['GET', '/client-session?clientToken=client_unknown'],
    ],
    [
      '404 ClientTokenExpired: The client token has expired after 24 hours',
      async ({ client, sandbox }) => {
        const { clientToken } = await client.clientSessions.create()
        await sandbox.clock.advance('24h')
        return ['GET', `/client-session?clientToken=${clientToken}`]
      },
    ],
    [
      '409 ExternalPaymentAlreadyExists: An external payment with this paymentId already exists',
      async ({ client }) => {
        await client.observability.payments.create(leastExternalPayment)
        return ['POST', '/observability/payments', { body: leastExternalPayment }]
      },
    ],
    [
      '404 ExternalPaymentNotFound: There is no external payment with this paymentId',
      () => ['PATCH', '/observability/payments/external-1', { body: {} }],
    ],
    [
      '409 PaymentMadeHere: The service records its own payments: send only payments made outside the service',
      async ({ client }) => {
        const { id: paymentId } = await client.payments.create(aPayment())
        return ['POST', '/observability/payments', { body: { ...leastExternalPayment, paymentId } }]
      },
    ],
    [
      '422 InsufficientLoyaltyBalance: The customer has only 0 points',
      () => ['POST', '/loyalty-transactions', { body: points }],
    ],
    [
      '404 LoyaltyCustomerNotFound: The loyalty provider has no customer with this ID',
      () => ['GET', '/loyalty-customers/customer-1?connectionId=connection-1'],
    ],
  ])('returns the status, errorId and description %s', async (expected, prepare) => {
    const { status, json } = await respond(startSandbox(), prepare)

    const { errorId, description, diagnosticsId } = json.error
    expect(`${status} ${errorId}: ${description}`).toBe(expected)
    expect(diagnosticsId).toMatch(/^diag_[A-Za-z0-9]{20}$/)
  })

  it.each<[Required<SandboxOptions>['idempotency'], number, errorId: string]>([
    ['conflict', 409, 'IdempotencyKeyAlreadyExists'],
    ['conflict-400', 400, 'TransactionRequestIdempotencyKeyAlreadyExists'],
  ])(
    'returns the ID of the payment that used the key, in idempotency mode %s',
    async (idempotency, status, errorId) => {
      const response = await respond(startSandbox({ idempotency }), reuseKey)

      const error = { errorId, description: 'The idempotency key was used before', paymentId: expect.any(String) }
      expect(response).toMatchObject({ status, json: { error } })
    },
  )

  it('responds 500 if the sandbox’s code throws', async () => {
    const { client, sandbox } = startSandbox()
    const depth = 20_000
    const tooDeep = `{"paymentMethod":{"options":{"PAYMENT_CARD":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}}`

    const { status, json } = await send(sandbox, 'POST', '/client-session', { body: tooDeep })

    expect(status).toBe(500)
    expect(json.error).toMatchObject({
      errorId: 'InternalServerError',
      description: expect.stringMatching(/^The sandbox has a bug: ./),
    })
    expect((await client.payments.create(aPayment())).status).toBe('AUTHORIZED')
  })

  it('leaves the payments and the ledger unchanged after an error response', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    const before = sandbox.snapshot()

    await refusal(client.payments.capture(id, { amount: 5001 }))
    await refusal(client.payments.refund(id))
    await refusal(client.payments.adjustAuthorization(id, { amount: 1 }))
    await refusal(client.payments.resume(id, { resumeToken: 'r' }))

    expect(sandbox.snapshot().store).toEqual(before.store)
    expect(sandbox.ledger).toHaveLength(1)
  })

  it.each([
    'POST /payment',
    'POST /payments/pay_1/captures',
    'POST /payments/%E0/captures',
    'DELETE /payments/pay_1',
    'PUT /client-session',
  ])('returns the errorId RouteNotFound for the unknown route %s', async (route) => {
    const [method, path] = route.split(' ') as [string, string]

    expect(await respond(startSandbox(), () => [method, path])).toMatchObject({
      json: { error: { errorId: 'RouteNotFound' } },
    })
  })
})

describe('a validation error of the sandbox', () => {
  const missing = 'is missing: it must be in the request or in the client session'
  const pay = (changes: object): Input => ['POST', '/payments', { body: { ...aPayment(), ...changes } }]

  it.each<[field: string, problem: string, Prepare]>([
    [
      '$.paymentMethodToken',
      'is not a token of this service, or it was deleted',
      () => pay({ paymentMethodToken: 'tok_unknown' }),
    ],
    [
      '$.customerId',
      'is missing: paymentMethod.vaultOnSuccess needs it, here or in the client session',
      () => pay({ paymentMethod: { vaultOnSuccess: true } }),
    ],
    ['$.orderId', missing, () => pay({ orderId: undefined })],
    ['$.currencyCode', missing, () => pay({ currencyCode: undefined })],
    ['$.amount', missing, () => pay({ amount: undefined })],
    ['$.amount', missing, () => pay({ amount: undefined, order: { lineItems: [] } })],
    [
      '$.order',
      'must have a total of at least 0',
      () => pay({ amount: undefined, order: { lineItems: [{ amount: 1, discountAmount: 2 }] } }),
    ],
    ['$.amount', 'must be at least 1', change('capture', 'card', undefined, { amount: 0 })],
    ['$.amount', 'must be at least 1', change('refund', 'card', 5000, { amount: 0 })],
    [
      '$.processor.name',
      'is missing: several processors share this merchant ID',
      change('authorize', 'pending', undefined, { processor: { processorMerchantId: 'shared-merchant' } }),
    ],
    ['$.value', 'must be at least 1', () => ['POST', '/loyalty-transactions', { body: { ...points, value: 0 } }]],
    [
      '$.type',
      "must be 'REDEMPTION' or 'REFUND'",
      () => ['POST', '/loyalty-transactions', { body: { ...points, type: 'GIFT' } }],
    ],
    ['$', 'must be an object', () => ['POST', '/payments', { body: [] }]],
    ['$', 'must be an object', () => ['POST', '/payments', { body: 'null' }]],
  ])('returns the path of the invalid field: %s %s', async (path, description, prepare) => {
    const { status, json } = await respond(startSandbox(), prepare)

    expect(status).toBe(400)
    expect(json.error).toMatchObject({
      errorId: 'RequestValidationFailed',
      description: 'The body of the request is invalid',
      validationErrors: [{ model: 'body', errors: [{ path, description }] }],
    })
    expect(json.error.validationErrors[0].errors).toHaveLength(1)
  })

  it('returns the JSON paths of nested and misspelled fields', async () => {
    const body = { amount: 1.5, order: { lineItems: [{ amount: 1 }, { amount: 'ten' }] }, ammount: 1 }

    const { json } = await respond(startSandbox(), () => pay(body))

    const paths = json.error.validationErrors[0].errors.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual(['$.ammount', '$.amount', '$.order.lineItems[1].amount'])
  })

  it('suggests the valid name for an unknown query parameter', async () => {
    const { json } = await respond(startSandbox(), () => ['GET', '/payments?last4Digits=1111'])

    const description = 'is not a parameter: did you mean "last_4_digits"?'
    expect(json.error).toMatchObject({
      description: 'The query of the request is invalid',
      validationErrors: [{ model: 'query', errors: [{ path: '$.last4Digits', description }] }],
    })
  })
})
