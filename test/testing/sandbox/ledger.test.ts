import { describe, expect, it } from 'vitest'
import type { ScenarioName } from '../../../src/testing/index.js'
import { leastExternalPayment } from '../../support/external-payment.js'
import { aPayment, startSandbox } from '../../support/start-sandbox.js'

type Started = ReturnType<typeof startSandbox>

/** Performs an operation, and returns the id of the changed resource. */
type Cause = (started: Started) => Promise<string | undefined>

/** Creates a payment with a scenario, captures the given amount if any, and performs `act`. */
function on(
  scenario: ScenarioName,
  act: (started: Started, id: string) => unknown,
  { captured, authorizationType }: { captured?: number; authorizationType?: string } = {},
): Cause {
  return async (started) => {
    const { client, sandbox } = started
    const paymentMethodToken = sandbox.tokens[scenario]
    const { id } = await client.payments.create(aPayment({ paymentMethodToken, paymentMethod: { authorizationType } }))
    if (captured !== undefined) await client.payments.capture(id, { amount: captured })
    await act(started, id)
    return id
  }
}

/** Saves a payment method, and performs `act`. */
function onSaved(act: (started: Started, token: string) => unknown): Cause {
  return async (started) => {
    const { token } = await started.client.paymentInstruments.vault('tok_card', { customerId: 'customer-1' })
    await act(started, token)
    return token
  }
}

const refund = async ({ client, sandbox }: Started, id: string, status: 'SETTLED' | 'FAILED') => {
  await client.payments.refund(id, { amount: 2000 })
  sandbox.processor.finishRefund(id, status)
}

describe('the last sandbox.ledger entry', () => {
  it.each<[operation: string, amount: number | undefined, cause: Cause]>([
    ['payments.create', 5000, on('card', () => {})],
    ['payments.create', 5000, on('declined', () => {})],
    [
      'payments.authorize',
      5000,
      on('pending', ({ client }, id) => client.payments.authorize(id, { processor: { processorMerchantId: 'm-2' } })),
    ],
    ['payments.capture', 2000, on('card', ({ client }, id) => client.payments.capture(id, { amount: 2000 }))],
    ['payments.capture', undefined, on('failsOnCapture', ({ client }, id) => client.payments.capture(id))],
    ['payments.cancel', undefined, on('card', ({ client }, id) => client.payments.cancel(id))],
    ['payments.refund', 5000, on('card', ({ client }, id) => client.payments.refund(id), { captured: 5000 })],
    [
      'payments.adjustAuthorization',
      6000,
      on('estimated', ({ client }, id) => client.payments.adjustAuthorization(id, { amount: 6000 }), {
        authorizationType: 'ESTIMATED',
      }),
    ],
    [
      'payments.resume',
      undefined,
      on('requires3ds', ({ client, sandbox }, id) =>
        client.payments.resume(id, { resumeToken: sandbox.completeAction(id) }),
      ),
    ],
    ['processor.authorize', 5000, on('pending', ({ sandbox }, id) => sandbox.processor.authorize(id))],
    ['processor.settle', 5000, on('card', ({ sandbox }, id) => sandbox.processor.settle(id))],
    [
      'processor.settle',
      undefined,
      on('slowSettlement', ({ sandbox }, id) => sandbox.processor.settle(id), { captured: 2000 }),
    ],
    ['processor.decline', undefined, on('pending', ({ sandbox }, id) => sandbox.processor.decline(id))],
    ['processor.fail', undefined, on('card', ({ sandbox }, id) => sandbox.processor.fail(id))],
    ['processor.finishRefund', 2000, on('card', (started, id) => refund(started, id, 'SETTLED'), { captured: 5000 })],
    [
      'processor.finishRefund',
      undefined,
      on('card', (started, id) => refund(started, id, 'FAILED'), { captured: 5000 }),
    ],
    ['clientSessions.create', undefined, async ({ client }) => (await client.clientSessions.create()).clientToken],
    [
      'clientSessions.update',
      undefined,
      async ({ client }) => {
        const { clientToken } = await client.clientSessions.create()
        await client.clientSessions.update(clientToken, { amount: 1 })
        return clientToken
      },
    ],
    ['paymentInstruments.vault', undefined, onSaved(() => {})],
    [
      'paymentInstruments.setDefault',
      undefined,
      onSaved(({ client }, token) => client.paymentInstruments.setDefault(token)),
    ],
    ['paymentInstruments.delete', undefined, onSaved(({ client }, token) => client.paymentInstruments.delete(token))],
    [
      'observability.payments.update',
      4000,
      async ({ client }) => {
        const { paymentId } = await client.observability.payments.create(leastExternalPayment)
        await client.observability.payments.update('external-1', { amount: 4000 })
        return paymentId
      },
    ],
  ])('records the operation %s with the amount %j', async (operation, amount, cause) => {
    const started = startSandbox()

    const resourceId = await cause(started)

    const { idempotencyKey: _, ...effect } = started.sandbox.ledger.at(-1) ?? {}
    const at = '2026-01-31T12:00:00.000Z'
    expect(effect).toStrictEqual({ operation, resourceId, at, ...(amount !== undefined && { amount }) })
  })
})
