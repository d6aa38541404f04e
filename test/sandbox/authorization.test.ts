import { describe, expect, it } from 'vitest'
import { aPayment, refusal, startSandbox } from '../support/start-sandbox.js'

describe('payments.authorize', () => {
  it('authorizes a pending payment with the given processor', async () => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))

    const payment = await client.payments.authorize(id, { processor: { processorMerchantId: 'm-2', name: 'OTHER' } })

    expect(payment).toMatchObject({
      status: 'AUTHORIZED',
      processor: { name: 'OTHER', processorMerchantId: 'm-2', amountCaptured: 0 },
      transactions: [{ processorName: 'OTHER', processorMerchantId: 'm-2', processorStatus: 'AUTHORIZED' }],
    })
    expect(await sentStatuses()).toEqual(['PENDING', 'AUTHORIZED'])
  })

  it('keeps the name of the processor where none is given', async () => {
    const { client, sandbox } = startSandbox()
    const created = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))

    const payment = await client.payments.authorize(created.id, { processor: { processorMerchantId: 'm-2' } })

    expect(payment.processor).toEqual({ ...created.processor, processorMerchantId: 'm-2' })
  })

  it('needs the name of the processor where several share a merchant ID', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))

    const error = await refusal(
      client.payments.authorize(id, { processor: { processorMerchantId: 'shared-merchant' } }),
    )

    expect(error.validationErrors).toMatchObject([{ errors: [{ path: '$.processor.name' }] }])
  })

  it('refuses a payment that is authorized already', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    const error = await refusal(client.payments.authorize(id, { processor: { processorMerchantId: 'm-2' } }))

    expect(error).toMatchObject({ status: 409, errorId: 'InvalidPaymentStatus' })
  })
})

describe('payments.adjustAuthorization', () => {
  const estimated = { authorizationType: 'ESTIMATED' }

  it('changes the amount of an estimated authorization', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens.estimated, paymentMethod: estimated }),
    )

    const adjusted = await client.payments.adjustAuthorization(id, { amount: 6200 })
    const captured = await client.payments.capture(id)

    expect(adjusted).toMatchObject({ status: 'AUTHORIZED', amount: 6200, transactions: [{ amount: 6200 }] })
    expect(captured.processor?.amountCaptured).toBe(6200)
  })

  it.each([
    ['the payment did not ask for it', 'estimated', {}],
    ['the payment method does not support it', 'card', estimated],
  ] as const)('refuses when %s', async (_, scenario, paymentMethod) => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens[scenario], paymentMethod }),
    )

    const error = await refusal(client.payments.adjustAuthorization(id, { amount: 1 }))

    expect(error).toMatchObject({ status: 422, errorId: 'AuthorizationNotAdjustable' })
  })

  it('refuses once something was captured', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens.estimated, paymentMethod: estimated }),
    )
    await client.payments.capture(id, { amount: 1 })

    expect((await refusal(client.payments.adjustAuthorization(id, { amount: 1 }))).status).toBe(409)
  })
})

describe('payments.resume', () => {
  it('authorizes the payment after the customer passed 3-D Secure', async () => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const paused = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))

    const payment = await client.payments.resume(paused.id, { resumeToken: sandbox.completeAction(paused.id) })

    expect(paused).toMatchObject({
      status: 'PENDING',
      requiredAction: {
        name: '3DS_AUTHENTICATION',
        description: 'The customer has to pass 3-D Secure.',
        clientToken: expect.any(String),
      },
    })
    expect(payment).toMatchObject({
      status: 'AUTHORIZED',
      paymentMethod: {
        threeDSecureAuthentication: { responseCode: 'AUTH_SUCCESS', protocolVersion: '2.2.0', challengeIssued: true },
      },
    })
    expect(payment.requiredAction).toBeUndefined()
    expect(await sentStatuses()).toEqual(['PENDING', 'AUTHORIZED'])
  })

  it('declines it when the customer did not pass', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.fails3ds }))

    const payment = await client.payments.resume(id, { resumeToken: sandbox.completeAction(id) })

    expect(payment).toMatchObject({
      status: 'DECLINED',
      statusReason: { declineType: 'SOFT_DECLINE' },
      paymentMethod: { threeDSecureAuthentication: { responseCode: 'AUTH_FAILED' } },
    })
  })

  it('refuses a token that belongs to another payment, or to none', async () => {
    const { client, sandbox } = startSandbox()
    const body = aPayment({ paymentMethodToken: sandbox.tokens.requires3ds })
    const [one, other] = [await client.payments.create(body), await client.payments.create(body)]
    const asynchronous = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))
    const resumeToken = sandbox.completeAction(other.id)

    const errors = [
      await refusal(client.payments.resume(one.id, { resumeToken })),
      await refusal(client.payments.resume(one.id, { resumeToken: 'undefined' })),
      await refusal(client.payments.resume(other.id, { resumeToken: 'resume_unknown' })),
      await refusal(client.payments.resume(asynchronous.id, { resumeToken })),
    ]

    expect(errors).toMatchObject(Array(4).fill({ status: 400, errorId: 'InvalidResumeToken' }))
    expect((await client.payments.get(one.id)).status).toBe('PENDING')
  })

  it('takes a token once', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))
    const resumeToken = sandbox.completeAction(id)
    await client.payments.resume(id, { resumeToken })

    expect((await refusal(client.payments.resume(id, { resumeToken }))).status).toBe(409)
  })

  it('does not wait for a customer who has nothing to do', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    expect(() => sandbox.completeAction(id)).toThrow('The payment requires no action of the customer')
  })
})

describe('an asynchronous payment', () => {
  it('moves from pending over authorized to settled, and tells of each step in order', async () => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const created = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))

    sandbox.processor.authorize(created.id)
    const authorized = await client.payments.get(created.id)
    sandbox.processor.settle(created.id)

    expect(created.status).toBe('PENDING')
    expect(authorized.status).toBe('AUTHORIZED')
    expect(await client.payments.get(created.id)).toMatchObject({
      status: 'SETTLED',
      processor: { amountCaptured: 5000 },
    })
    expect(await sentStatuses()).toEqual(['PENDING', 'AUTHORIZED', 'SETTLED'])
  })

  it.each([
    ['decline', 'DECLINED'],
    ['fail', 'FAILED'],
  ] as const)('may end another way: %s', async (move, status) => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))

    sandbox.processor[move](id)

    expect(await client.payments.get(id)).toMatchObject({ status, statusReason: { message: expect.any(String) } })
    expect(await sentStatuses()).toEqual(['PENDING', status])
  })

  it('allows no capture after it was settled as a whole', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    sandbox.processor.settle(id)

    expect((await refusal(client.payments.capture(id))).errorId).toBe('FinalCaptureAlreadyMade')
  })

  it('allows further captures after what was captured in part is settled', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id, { amount: 1000 })

    sandbox.processor.settle(id)
    const settled = await client.payments.get(id)
    const captured = await client.payments.capture(id)

    expect(settled).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 1000 } })
    expect(captured).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 5000 } })
  })

  it('has nothing captured after it failed', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id)

    sandbox.processor.fail(id)

    expect(await client.payments.get(id)).toMatchObject({ status: 'FAILED', processor: { amountCaptured: 0 } })
  })

  it('makes only the moves that are possible', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    const paused = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))
    const slow = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(slow.id)
    await client.payments.refund(slow.id)

    expect(() => sandbox.processor.authorize(id)).toThrow('needs the status PENDING')
    expect(() => sandbox.processor.decline(id)).toThrow('needs the status PENDING')
    expect(() => sandbox.processor.authorize(paused.id)).toThrow(
      'The payment waits for the customer: use completeAction',
    )
    expect(() => sandbox.processor.settle(paused.id)).toThrow('needs the status AUTHORIZED or SETTLING')
    expect(() => sandbox.processor.fail(slow.id)).toThrow('The payment has refunds, so it cannot fail')
    expect(() => sandbox.processor.settle('pay_unknown')).toThrow('no payment')
    expect(() => sandbox.processor.finishRefund(slow.id, 'PENDING' as 'SETTLED')).toThrow(
      new TypeError("status must be 'SETTLED' or 'FAILED'"),
    )
  })
})
