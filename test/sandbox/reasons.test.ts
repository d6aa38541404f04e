import { describe, expect, it } from 'vitest'
import type { SandboxOptions, ScenarioName } from '../../src/sandbox/index.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment, send, startSandbox } from '../support/start-sandbox.js'

type Started = ReturnType<typeof startSandbox>
type Question = [method: string, path: string, details?: Parameters<typeof send>[3]]

/** Brings about a state in which the question is refused. */
type Ask = (started: Started) => Question | Promise<Question>

const customerId = 'customer-1'
const points = { connectionId: 'connection-1', customerId, orderId: 'order-17', value: 1 }

/** The id of a payment that goes the way of a scenario. */
async function pay({ client, sandbox }: Started, scenario: ScenarioName = 'card'): Promise<string> {
  const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
  return id
}

/** The id of a payment of which everything was captured, or so much. */
async function capture(started: Started, scenario?: ScenarioName, amount = 5000): Promise<string> {
  const id = await pay(started, scenario)
  await started.client.payments.capture(id, { amount })
  return id
}

async function payWithKey({ client }: Started): Promise<Question> {
  const headers = { 'x-idempotency-key': 'key-1' }
  await client.payments.create(aPayment(), { idempotencyKey: 'key-1' })
  return ['POST', '/payments', { body: aPayment({ amount: 1 }), headers }]
}

async function ask(started: Started, question: Ask) {
  return send(started.sandbox, ...(await question(started)))
}

describe('a refusal says why', () => {
  it.each<[errorId: string, status: number, description: string, Ask]>([
    ['RouteNotFound', 404, 'The service has no such endpoint', () => ['GET', '/nowhere']],
    ['MalformedPath', 400, 'The path is not properly encoded', () => ['GET', '/payments/%E0']],
    ['MalformedRequest', 400, 'The body of the request is not JSON', () => ['POST', '/payments', { body: '{' }]],
    [
      'Unauthorized',
      401,
      'The X-Api-Key header is missing or its key is invalid',
      () => ['GET', '/payments', { headers: { 'x-api-key': 'key_of_nobody' } }],
    ],
    [
      'Forbidden',
      403,
      'The API key lacks the scope transactions:retrieve',
      ({ sandbox }) => ['GET', '/payments', { headers: { 'x-api-key': sandbox.createApiKey({ scopes: [] }) } }],
    ],
    ['IdempotencyKeyReused', 409, 'The idempotency key was used before, with another body', payWithKey],
    [
      'InvalidCursor',
      400,
      'The cursor is not from this list, or the filters have changed',
      () => ['GET', '/payments?cursor=page-2'],
    ],
    ['PaymentNotFound', 404, 'There is no payment with this id', () => ['GET', '/payments/pay_unknown']],
    [
      'InvalidPaymentStatus',
      409,
      'payments.capture needs the status AUTHORIZED or SETTLING or SETTLED, but this payment is DECLINED',
      async (started) => ['POST', `/payments/${await pay(started, 'declined')}/capture`],
    ],
    [
      'FinalCaptureAlreadyMade',
      409,
      'The final capture of this payment was already made',
      async (started) => ['POST', `/payments/${await capture(started)}/capture`],
    ],
    [
      'CaptureExceedsAuthorizedAmount',
      422,
      'The capturable amount of this payment is 5000',
      async (started) => ['POST', `/payments/${await pay(started)}/capture`, { body: { amount: 5001 } }],
    ],
    [
      'PartialCaptureNotSupported',
      422,
      'The processor does not support partial captures',
      async (started) => [
        'POST',
        `/payments/${await pay(started, 'fullCaptureOnly')}/capture`,
        { body: { amount: 1 } },
      ],
    ],
    [
      'PaymentAlreadyRefunded',
      409,
      'A refunded payment cannot be cancelled',
      async (started) => {
        const id = await capture(started, 'slowSettlement')
        await started.client.payments.refund(id)
        return ['POST', `/payments/${id}/cancel`]
      },
    ],
    [
      'VoidRefused',
      422,
      'The processor rejected the void',
      async (started) => ['POST', `/payments/${await pay(started, 'cancelFails')}/cancel`],
    ],
    [
      'RefundExceedsCapturedAmount',
      422,
      'The refundable amount of this payment is 3000',
      async (started) => [
        'POST',
        `/payments/${await capture(started, 'card', 3000)}/refund`,
        { body: { amount: 3001 } },
      ],
    ],
    [
      'AuthorizationNotAdjustable',
      422,
      'The authorization is not an adjustable estimate',
      async (started) => ['POST', `/payments/${await pay(started)}/adjust-authorization`, { body: { amount: 1 } }],
    ],
    [
      'InvalidResumeToken',
      400,
      'The resume token does not belong to this payment',
      async (started) => [
        'POST',
        `/payments/${await pay(started, 'requires3ds')}/resume`,
        { body: { resumeToken: 'resume_unknown' } },
      ],
    ],
    [
      'PaymentMethodTokenUsed',
      409,
      'The payment method token was used before',
      async ({ client, sandbox }) => {
        const body = aPayment({ paymentMethodToken: sandbox.tokenize() })
        await client.payments.create(body)
        return ['POST', '/payments', { body }]
      },
    ],
    [
      'PaymentMethodTokenNotFound',
      404,
      'There is no payment method with this token',
      () => ['POST', '/payment-instruments/tok_unknown/vault', { body: { customerId } }],
    ],
    [
      'PaymentMethodTokenVaulted',
      409,
      'The payment method is saved for another customer',
      async ({ client, sandbox }) => {
        const { token } = await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-2' })
        return ['POST', `/payment-instruments/${token}/vault`, { body: { customerId } }]
      },
    ],
    [
      'VerificationFailed',
      422,
      'The verification of the payment method failed, so it was not saved',
      () => ['POST', '/payment-instruments/tok_verification_fails/vault', { body: { customerId, verify: true } }],
    ],
    [
      'PaymentMethodNotFound',
      404,
      'There is no saved payment method with this token',
      () => ['DELETE', '/payment-instruments/vaulted_unknown'],
    ],
    [
      'ClientSessionNotFound',
      404,
      'There is no client session with this token',
      () => ['GET', '/client-session?clientToken=client_unknown'],
    ],
    [
      'ClientTokenExpired',
      404,
      'The client token has expired after 24 hours',
      async ({ client, sandbox }) => {
        const { clientToken } = await client.clientSessions.create()
        await sandbox.clock.advance('24h')
        return ['GET', `/client-session?clientToken=${clientToken}`]
      },
    ],
    [
      'ExternalPaymentAlreadyExists',
      409,
      'An external payment with this paymentId already exists',
      async ({ client }) => {
        await client.observability.payments.create(leastExternalPayment)
        return ['POST', '/observability/payments', { body: leastExternalPayment }]
      },
    ],
    [
      'ExternalPaymentNotFound',
      404,
      'There is no external payment with this paymentId',
      () => ['PATCH', '/observability/payments/external-1', { body: {} }],
    ],
    [
      'PaymentMadeHere',
      409,
      'The service records its own payments: send only payments made elsewhere',
      async (started) => {
        const body = { ...leastExternalPayment, paymentId: await pay(started) }
        return ['POST', '/observability/payments', { body }]
      },
    ],
    [
      'InsufficientLoyaltyBalance',
      422,
      'The customer has only 0 points',
      () => ['POST', '/loyalty-transactions', { body: points }],
    ],
    [
      'LoyaltyCustomerNotFound',
      404,
      'The loyalty provider has no customer with this id',
      () => ['GET', '/loyalty-customers/customer-1?connectionId=connection-1'],
    ],
  ])('%s', async (errorId, status, description, question) => {
    const answer = await ask(startSandbox(), question)

    expect(answer).toMatchObject({ status, json: { error: { errorId, description } } })
  })

  it.each<[Required<SandboxOptions>['idempotency'], errorId: string]>([
    ['conflict', 'IdempotencyKeyAlreadyExists'],
    ['conflict-400', 'TransactionRequestIdempotencyKeyAlreadyExists'],
  ])('where used keys bring a %s', async (idempotency, errorId) => {
    const { json } = await ask(startSandbox({ idempotency }), payWithKey)

    expect(json.error).toMatchObject({ errorId, description: 'The idempotency key was used before' })
  })
})

describe('a request that breaks the contract is told where and how', () => {
  const missing = 'is missing: it must be in the request or in the client session'
  const { amount: _, ...withoutAmount } = aPayment()

  it.each<[field: string, problem: string, Ask]>([
    [
      '$.paymentMethodToken',
      'is not a token of this service, or it was deleted',
      () => ['POST', '/payments', { body: aPayment({ paymentMethodToken: 'tok_unknown' }) }],
    ],
    [
      '$.customerId',
      'is missing: paymentMethod.vaultOnSuccess needs it, here or in the client session',
      () => ['POST', '/payments', { body: aPayment({ paymentMethod: { vaultOnSuccess: true } }) }],
    ],
    ['$.orderId', missing, () => ['POST', '/payments', { body: { ...aPayment(), orderId: undefined } }]],
    ['$.currencyCode', missing, () => ['POST', '/payments', { body: { ...aPayment(), currencyCode: undefined } }]],
    ['$.amount', missing, () => ['POST', '/payments', { body: withoutAmount }]],
    [
      '$.order',
      'must have a total of at least 0',
      () => ['POST', '/client-session', { body: { order: { lineItems: [{ amount: -1 }] } } }],
    ],
    [
      '$.amount',
      'must be at least 1',
      async (started) => ['POST', `/payments/${await pay(started)}/capture`, { body: { amount: 0 } }],
    ],
    [
      '$.amount',
      'must be at least 1',
      async (started) => ['POST', `/payments/${await capture(started)}/refund`, { body: { amount: 0 } }],
    ],
    [
      '$.processor.name',
      'is missing: several processors share this merchant ID',
      async (started) => [
        'POST',
        `/payments/${await pay(started, 'pending')}/authorize`,
        { body: { processor: { processorMerchantId: 'shared-merchant' } } },
      ],
    ],
    ['$.value', 'must be at least 1', () => ['POST', '/loyalty-transactions', { body: { ...points, value: 0 } }]],
    [
      '$.type',
      'must be REDEMPTION or REFUND',
      () => ['POST', '/loyalty-transactions', { body: { ...points, type: 'GIFT' } }],
    ],
    ['$', 'must be an object', () => ['POST', '/payments', { body: [] }]],
  ])('%s %s', async (path, description, question) => {
    const { status, json } = await ask(startSandbox(), question)

    expect(status).toBe(400)
    expect(json.error).toMatchObject({
      errorId: 'RequestValidationFailed',
      description: 'The body of the request is invalid',
      validationErrors: [{ model: 'body', errors: [{ path, description }] }],
    })
    expect(json.error.validationErrors[0].errors).toHaveLength(1)
  })

  it('in the query, too', async () => {
    const { json } = await ask(startSandbox(), () => ['GET', '/payments?last4Digits=1111'])

    expect(json.error).toMatchObject({
      errorId: 'RequestValidationFailed',
      description: 'The query of the request is invalid',
      validationErrors: [
        {
          model: 'query',
          errors: [
            {
              path: '$.last4Digits',
              description: 'is not a parameter: did you mean "last_4_digits"?',
            },
          ],
        },
      ],
    })
  })
})
