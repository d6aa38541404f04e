import { describe, expect, it } from 'vitest'
import type { ScenarioName } from '../../src/sandbox/index.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment, startSandbox } from '../support/start-sandbox.js'

type Started = ReturnType<typeof startSandbox>

async function pay({ client, sandbox }: Started, scenario: ScenarioName, authorizationType?: string): Promise<string> {
  const paymentMethodToken = sandbox.tokens[scenario]
  const { id } = await client.payments.create(aPayment({ paymentMethodToken, paymentMethod: { authorizationType } }))
  return id
}

async function vault({ client, sandbox }: Started): Promise<string> {
  return (await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-1' })).token
}

/** Simulates the processor for a payment of which an amount may be captured. */
async function control(
  started: Started,
  scenario: ScenarioName,
  method: 'authorize' | 'settle' | 'decline' | 'fail',
  captured?: number,
): Promise<string> {
  const id = await pay(started, scenario)
  if (captured !== undefined) await started.client.payments.capture(id, { amount: captured })
  started.sandbox.processor[method](id)
  return id
}

async function finishRefund(started: Started, status: 'SETTLED' | 'FAILED'): Promise<string> {
  const id = await pay(started, 'card')
  await started.client.payments.capture(id)
  await started.client.payments.refund(id, { amount: 2000 })
  started.sandbox.processor.finishRefund(id, status)
  return id
}

describe('the last entry of sandbox.ledger', () => {
  it.each<[operation: string, amount: number | undefined, act: (started: Started) => Promise<unknown>]>([
    ['payments.create', 5000, (started) => pay(started, 'card')],
    ['payments.create', 5000, (started) => pay(started, 'declined')],
    [
      'payments.authorize',
      5000,
      async (started) => {
        const id = await pay(started, 'pending')
        await started.client.payments.authorize(id, { processor: { processorMerchantId: 'm-2' } })
        return id
      },
    ],
    [
      'payments.capture',
      2000,
      async (started) => {
        const id = await pay(started, 'card')
        await started.client.payments.capture(id, { amount: 2000 })
        return id
      },
    ],
    [
      'payments.capture',
      undefined,
      async (started) => {
        const id = await pay(started, 'failsOnCapture')
        await started.client.payments.capture(id, { amount: 2000 })
        return id
      },
    ],
    [
      'payments.cancel',
      undefined,
      async (started) => {
        const id = await pay(started, 'card')
        await started.client.payments.cancel(id)
        return id
      },
    ],
    [
      'payments.refund',
      5000,
      async (started) => {
        const id = await pay(started, 'card')
        await started.client.payments.capture(id)
        await started.client.payments.refund(id)
        return id
      },
    ],
    [
      'payments.adjustAuthorization',
      6000,
      async (started) => {
        const id = await pay(started, 'estimated', 'ESTIMATED')
        await started.client.payments.adjustAuthorization(id, { amount: 6000 })
        return id
      },
    ],
    [
      'payments.resume',
      undefined,
      async (started) => {
        const id = await pay(started, 'requires3ds')
        await started.client.payments.resume(id, { resumeToken: started.sandbox.completeAction(id) })
        return id
      },
    ],
    [
      'clientSessions.update',
      undefined,
      async ({ client }) => {
        const { clientToken } = await client.clientSessions.create()
        await client.clientSessions.update(clientToken, { amount: 1 })
        return clientToken
      },
    ],
    ['paymentInstruments.vault', undefined, vault],
    [
      'paymentInstruments.setDefault',
      undefined,
      async (started) => {
        const token = await vault(started)
        await started.client.paymentInstruments.setDefault(token)
        return token
      },
    ],
    [
      'paymentInstruments.delete',
      undefined,
      async (started) => {
        const token = await vault(started)
        await started.client.paymentInstruments.delete(token)
        return token
      },
    ],
    [
      'observability.payments.update',
      4000,
      async ({ client }) => {
        const { paymentId } = await client.observability.payments.create(leastExternalPayment)
        await client.observability.payments.update('external-1', { amount: 4000 })
        return paymentId
      },
    ],
    ['processor.authorize', 5000, (started) => control(started, 'pending', 'authorize')],
    ['processor.settle', 5000, (started) => control(started, 'card', 'settle')],
    ['processor.settle', undefined, (started) => control(started, 'slowSettlement', 'settle', 2000)],
    ['processor.decline', undefined, (started) => control(started, 'pending', 'decline')],
    ['processor.fail', undefined, (started) => control(started, 'card', 'fail')],
    ['processor.finishRefund', 2000, (started) => finishRefund(started, 'SETTLED')],
    ['processor.finishRefund', undefined, (started) => finishRefund(started, 'FAILED')],
  ])('N28 is %s with the amount %j', async (operation, amount, act) => {
    const started = startSandbox()

    const resourceId = await act(started)

    const { idempotencyKey: _, ...effect } = started.sandbox.ledger.at(-1) ?? {}
    const at = '2026-01-31T12:00:00.000Z'
    expect(effect).toStrictEqual({ operation, resourceId, at, ...(amount !== undefined && { amount }) })
  })
})
