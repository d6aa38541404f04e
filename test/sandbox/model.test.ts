import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payment } from '../../src/index.js'
import { createSandbox, type Sandbox, tokens } from '../../src/sandbox/index.js'
import { aPayment, send } from '../support/start-sandbox.js'

/** How many lives of a payment are tried. */
const lives = Number(process.env['MODEL_RUNS'] ?? 2000)

/** From where a payment may go where. Specification: States and transitions. */
const allowedMoves = [
  'PENDING > AUTHORIZED',
  'PENDING > DECLINED',
  'PENDING > FAILED',
  'PENDING > CANCELLED',
  'AUTHORIZED > SETTLING',
  'AUTHORIZED > SETTLED',
  'AUTHORIZED > FAILED',
  'AUTHORIZED > CANCELLED',
  'SETTLING > SETTLED',
  'SETTLING > FAILED',
  'SETTLING > CANCELLED',
]

const amount = fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 120 }))

/** Something that merchants ask for. */
const request = fc.oneof(
  fc.record({ action: fc.constant('capture'), body: fc.record({ amount, final: fc.boolean() }) }),
  fc.record({ action: fc.constant('refund'), body: fc.record({ amount }) }),
  fc.record({ action: fc.constant('cancel'), body: fc.constant({}) }),
  fc.record({
    action: fc.constant('adjust-authorization'),
    body: fc.record({ amount: fc.integer({ min: 0, max: 120 }) }),
  }),
  fc.record({ action: fc.constant('authorize'), body: fc.constant({ processor: { processorMerchantId: 'm' } }) }),
)

/** Something that happens elsewhere. */
const happening = fc.constantFrom('authorize', 'settle', 'decline', 'fail', 'finish', 'break', 'resume')

const life = fc.record({
  token: fc.constantFrom(...Object.values(tokens)),
  steps: fc.array(fc.oneof(request, happening), { maxLength: 12 }),
})

/** Whether the outside world could do it. */
async function happen(sandbox: Sandbox, id: string, what: string): Promise<void> {
  try {
    if (what === 'finish') sandbox.processor.finishRefund(id, 'SETTLED')
    else if (what === 'break') sandbox.processor.finishRefund(id, 'FAILED')
    else if (what === 'resume') {
      const body = { resumeToken: sandbox.completeAction(id) }
      await send(sandbox, 'POST', `/payments/${id}/resume`, { body })
    } else sandbox.processor[what as 'settle'](id)
  } catch {
    // An impossible move: that nothing came of it is seen on the payment.
  }
}

async function read(sandbox: Sandbox, id: string): Promise<Payment> {
  return (await send(sandbox, 'GET', `/payments/${id}`)).json
}

function effects({ ledger }: Sandbox, operation: string): number {
  return ledger
    .filter((effect) => effect.operation === operation)
    .reduce((total, effect) => total + (effect.amount ?? 0), 0)
}

describe('whatever happens to a payment', () => {
  it(`moves only as the specification allows, and no money is invented (${lives} lives)`, async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ token, steps }) => {
        const sandbox = createSandbox({ seed: 1 })
        const told: string[] = []
        sandbox.webhooks.subscribe(async (webhook) => {
          const event = (await webhook.json()) as { eventType: string; payment: Payment }
          if (event.eventType === 'PAYMENT.STATUS') told.push(event.payment.status as string)
          return new Response()
        })
        const body = aPayment({
          paymentMethodToken: token,
          amount: 100,
          paymentMethod: { authorizationType: 'ESTIMATED' },
        })
        let payment: Payment = (await send(sandbox, 'POST', '/payments', { body })).json
        const statuses = [payment.status]

        for (const [number, step] of steps.entries()) {
          const before = payment
          const effectsBefore = sandbox.ledger.length
          if (typeof step === 'string') await happen(sandbox, before.id, step)
          else {
            const path = `/payments/${before.id}/${step.action}`
            const keyed = { body: step.body, headers: { 'x-idempotency-key': `step-${number}` } }
            const { status, json } = await send(sandbox, 'POST', path, keyed)
            const isKeyed = step.action !== 'adjust-authorization'
            const again = isKeyed && status === 200 ? await send(sandbox, 'POST', path, keyed) : { status, json }
            expect(again.json).toEqual(json)
            expect(sandbox.ledger.length - effectsBefore).toBe(status === 200 ? 1 : 0)
            if (status !== 200) expect(await read(sandbox, before.id)).toEqual(before)
          }

          payment = await read(sandbox, before.id)
          const { amountCaptured = 0, amountRefunded = 0 } = payment.processor ?? {}
          expect(amountCaptured).toBeLessThanOrEqual(payment.amount as number)
          expect(amountRefunded).toBeLessThanOrEqual(amountCaptured)
          if (payment.status !== before.status) {
            expect(allowedMoves).toContain(`${before.status} > ${payment.status}`)
            statuses.push(payment.status)
          }
        }

        const captured = effects(sandbox, 'payments.capture')
        const refunds = payment.transactions?.filter(({ transactionType }) => transactionType === 'REFUND') ?? []
        expect(captured).toBeLessThanOrEqual(Math.max(100, payment.amount as number))
        expect(refunds.reduce((total, refund) => total + (refund.amount as number), 0)).toBe(
          effects(sandbox, 'payments.refund'),
        )
        expect(sandbox.ledger.every(({ resourceId }) => resourceId === payment.id)).toBe(true)
        await sandbox.webhooks.flush()
        expect(told).toEqual(statuses)
      }),
      { numRuns: lives },
    )
  }, 120_000)
})
