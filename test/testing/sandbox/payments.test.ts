import { describe, expect, it } from 'vitest'
import type { CreatePaymentBody } from '../../../src/core/schemas/payment.js'
import { latestRefund } from '../../../src/index.js'
import type { ScenarioName } from '../../../src/testing/index.js'
import { aPayment, refusal, startSandbox } from '../../support/start-sandbox.js'

/** Starts a sandbox with a payment in the given scenario, and captures the given amount if any. */
async function startWith(scenario: ScenarioName = 'card', changes: Partial<CreatePaymentBody> = {}, captured?: number) {
  const started = startSandbox()
  const { client, sandbox } = started
  const body = aPayment({ paymentMethodToken: sandbox.tokens[scenario], ...changes })
  const payment = await client.payments.create(body)
  if (captured !== undefined) await client.payments.capture(payment.id, { amount: captured })
  return { ...started, payment, id: payment.id, current: () => client.payments.get(payment.id) }
}

describe('payments.authorize', () => {
  it('authorizes with the requested processor, and keeps an omitted processor name', async () => {
    const { client, id, payment, sentStatuses } = await startWith('pending')
    const other = await client.payments.create(aPayment({ paymentMethodToken: 'tok_pending' }))

    const authorized = await client.payments.authorize(id, { processor: { processorMerchantId: 'm-2', name: 'OTHER' } })
    const { processor } = await client.payments.authorize(other.id, { processor: { processorMerchantId: 'm-2' } })

    expect(authorized.transactions).toMatchObject([
      { processorName: 'OTHER', processorMerchantId: 'm-2', processorStatus: 'AUTHORIZED' },
    ])
    expect(processor).toEqual({ ...payment.processor, processorMerchantId: 'm-2' })
    expect((await sentStatuses()).slice(2)).toEqual(['AUTHORIZED', 'AUTHORIZED'])
  })
})

describe('payments.resume', () => {
  it.each([
    ['requires3ds', 'AUTHORIZED', 'AUTH_SUCCESS', undefined],
    ['fails3ds', 'DECLINED', 'AUTH_FAILED', 'SOFT_DECLINE'],
  ] as const)(
    'changes a payment with the scenario %s to the status %s',
    async (scenario, status, responseCode, declineType) => {
      const { client, id, payment, sandbox, sentStatuses } = await startWith(scenario)

      const resumed = await client.payments.resume(id, { resumeToken: sandbox.completeAction(id) })

      expect(payment).toMatchObject({
        status: 'PENDING',
        requiredAction: {
          name: '3DS_AUTHENTICATION',
          description: 'The customer has to pass 3-D Secure.',
          clientToken: expect.stringMatching(/^client_/),
        },
      })
      expect(resumed).toMatchObject({ status })
      expect(resumed.statusReason?.declineType).toBe(declineType)
      const { threeDSecureAuthentication } = resumed.paymentMethod ?? {}
      expect(threeDSecureAuthentication).toEqual({ responseCode, protocolVersion: '2.2.0', challengeIssued: true })
      expect(resumed.requiredAction).toBeUndefined()
      expect(await sentStatuses()).toEqual(['PENDING', status])
    },
  )

  it('rejects a resume token of another payment, or before the customer has acted', async () => {
    const { client, id, sandbox, current } = await startWith('requires3ds')
    const pay = async (paymentMethodToken: string) =>
      (await client.payments.create(aPayment({ paymentMethodToken }))).id
    const other = await pay(sandbox.tokens.requires3ds)
    const asynchronous = await pay(sandbox.tokens.pending)
    const resumeToken = sandbox.completeAction(other)

    const errors = [
      await refusal(client.payments.resume(id, { resumeToken })),
      await refusal(client.payments.resume(id, { resumeToken: 'undefined' })),
      await refusal(client.payments.resume(other, { resumeToken: 'resume_unknown' })),
      await refusal(client.payments.resume(asynchronous, { resumeToken })),
    ]

    expect(errors).toMatchObject(Array(4).fill({ httpStatus: 400, errorId: 'InvalidResumeToken' }))
    expect((await current()).status).toBe('PENDING')
  })
})

describe('payments.capture', () => {
  it('captures a payment with the amount 0', async () => {
    const { client, id } = await startWith('card', { amount: 0 })

    expect(await client.payments.capture(id)).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 0 } })
  })

  it('merges the request’s order into the payment', async () => {
    const order = { countryCode: 'DE', lineItems: [{ itemId: 'a', amount: 5000 }] }
    const { client, client21, id } = await startWith('card', { order })

    await client.payments.capture(id, { amount: 1, order: { shipping: { amount: 3 } } })
    expect(await client21.payments.capture(id, { amount: 1, lineItems: [{ itemId: 'b' }] })).toMatchObject({
      lineItems: [{ itemId: 'b' }],
      orderDetails: { countryCode: 'DE', shipping: { amount: 3 } },
    })
  })
})

describe('payments.cancel', () => {
  it('removes requiredAction from the payment', async () => {
    const { client, id } = await startWith('requires3ds')

    expect((await client.payments.cancel(id)).requiredAction).toBeUndefined()
  })

  it('cancels a payment whose refund failed', async () => {
    const { client, id, sandbox } = await startWith('slowSettlement', {}, 5000)
    await client.payments.refund(id, { amount: 1 })
    sandbox.processor.finishRefund(id, 'FAILED')

    expect((await client.payments.cancel(id)).status).toBe('CANCELLED')
  })
})

describe('payments.refund', () => {
  it('keeps the refund pending while the payment is SETTLING', async () => {
    const { client, id, sandbox, current } = await startWith('slowSettlement', {}, 5000)
    await client.payments.refund(id)

    sandbox.processor.settle(id)

    expect(await current()).toMatchObject({
      status: 'SETTLED',
      transactions: [{ processorStatus: 'SETTLED' }, { transactionType: 'REFUND', processorStatus: 'PENDING' }],
    })
  })

  it.each([
    ['instantRefund', 'SETTLED', 3000],
    ['refundFails', 'FAILED', 0],
  ] as const)(
    'finishes the refund immediately in the scenario %s',
    async (scenario, processorStatus, amountRefunded) => {
      const { client, id, sentEvents } = await startWith(scenario, {}, 3000)

      const payment = await client.payments.refund(id)

      expect(latestRefund(payment)?.processorStatus).toBe(processorStatus)
      expect(payment.processor?.amountRefunded).toBe(amountRefunded)
      expect((await sentEvents()).at(-1)?.eventType).toBe('PAYMENT.REFUND')
    },
  )
})

describe('sandbox.processor.finishRefund', () => {
  it('makes the amount refundable again if the refund fails', async () => {
    const { client, id, sandbox, current } = await startWith('card', {}, 3000)
    await client.payments.refund(id)

    sandbox.processor.finishRefund(id, 'FAILED')

    const payment = await current()
    expect(latestRefund(payment)).toMatchObject({ processorStatus: 'FAILED', processorStatusReason: { code: 'ERROR' } })
    expect(payment.processor?.amountRefunded).toBe(0)
    expect((await client.payments.refund(id)).processor?.amountRefunded).toBe(3000)
  })

  it('rejects a payment without a pending refund, and rejects the status PENDING', async () => {
    const { client, id, sandbox } = await startWith('card', {}, 3000)

    expect(() => sandbox.processor.finishRefund(id, 'SETTLED')).toThrow('The payment has no pending refund')
    await client.payments.refund(id)
    expect(() => sandbox.processor.finishRefund(id, 'PENDING' as 'SETTLED')).toThrow(
      new TypeError("status must be 'SETTLED' or 'FAILED'"),
    )
    sandbox.processor.finishRefund(id, 'SETTLED')
    expect(() => sandbox.processor.finishRefund(id, 'SETTLED')).toThrow('The payment has no pending refund')
  })
})

describe('sandbox.processor', () => {
  it('settles the authorized amount, or the captured part of a SETTLING payment', async () => {
    const { client, id, sandbox } = await startWith()
    const partial = await startWith('slowSettlement', {}, 1000)

    sandbox.processor.settle(id)
    partial.sandbox.processor.settle(partial.id)

    expect((await refusal(client.payments.capture(id))).errorId).toBe('FinalCaptureAlreadyMade')
    expect(await partial.current()).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 1000 } })
    expect((await partial.client.payments.capture(partial.id)).processor?.amountCaptured).toBe(5000)
  })

  it.each([
    ['decline', 'pending', undefined, 'DECLINED'],
    ['fail', 'slowSettlement', 5000, 'FAILED'],
  ] as const)(
    'sets a status reason and resets the captured amount to 0, with the method %s',
    async (method, scenario, captured, status) => {
      const { id, sandbox, current } = await startWith(scenario, {}, captured)

      sandbox.processor[method](id)

      const statusReason = { message: expect.any(String) }
      expect(await current()).toMatchObject({ status, statusReason, processor: { amountCaptured: 0 } })
    },
  )

  it('throws if the payment’s status does not allow the change', async () => {
    const { client, id, sandbox } = await startWith('slowSettlement', {}, 5000)
    await client.payments.refund(id)
    const paused = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))

    expect(() => sandbox.processor.authorize(id)).toThrow('needs the status PENDING')
    expect(() => sandbox.processor.decline(id)).toThrow('needs the status PENDING')
    expect(() => sandbox.processor.authorize(paused.id)).toThrow(
      'The payment requires an action from the customer: call completeAction and resume the payment',
    )
    expect(() => sandbox.processor.settle(paused.id)).toThrow('needs the status AUTHORIZED or SETTLING')
    expect(() => sandbox.processor.fail(id)).toThrow('The payment has refunds, so it cannot fail')
    expect(() => sandbox.processor.settle('pay_unknown')).toThrow('no payment')
  })
})
