import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payment } from '../../src/index.js'
import { PaymentsClient } from '../../src/index.js'
import type { OperationRecord } from '../../src/operations/record.js'
import {
  type Facts,
  factTables,
  type Known,
  learn,
  type Observation,
  observeDecision,
  observeDispute,
  observePayment,
  observeRecord,
} from '../../src/orders/facts.js'
import { createOrders } from '../../src/orders/index.js'
import { toOrder } from '../../src/orders/order.js'
import { type DisputeStatusEvent, sign } from '../../src/webhooks/index.js'

const numRuns = Number(process.env['RUNS'] ?? 300)

const status = fc.constantFrom(
  ...['PENDING', 'AUTHORIZED', 'SETTLING', 'DECLINED', 'FAILED', 'CANCELLED', 'PARTIALLY_SETTLED', 'SETTLED', 'NEW'],
)
const time = fc.option(
  fc.integer({ min: 0, max: 3 }).map((second) => `2026-01-01T00:00:0${second}.000001`),
  { nil: undefined },
)
const amount = fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined })
const transaction = fc.record({
  transactionType: fc.constant('REFUND'),
  processorTransactionId: fc.option(fc.constantFrom('re_1', 're_2'), { nil: undefined }),
  processorStatus: fc.option(status, { nil: undefined }),
  amount,
})
const paymentState = fc.record({
  id: fc.constantFrom('pay_1', 'pay_2'),
  orderId: fc.constant('17'),
  status,
  amount,
  currencyCode: fc.constantFrom('EUR', 'USD'),
  dateUpdated: time,
  date: time,
  processor: fc.record({ amountCaptured: amount, amountRefunded: amount }),
  transactions: fc.option(fc.array(transaction, { maxLength: 2 }), { nil: undefined }),
  requiredAction: fc.option(fc.constant({ name: '3DS_AUTHENTICATION' }), { nil: undefined }),
})
const dispute = fc
  .record({
    eventType: fc.constant('DISPUTE.STATUS' as const),
    type: fc.constantFrom('RETRIEVAL', 'DISPUTE'),
    status: fc.constantFrom('OPEN', 'WON', 'LOST', 'ACCEPTED', 'CANCELLED'),
    processorDisputeId: fc.constantFrom('dp_1', 'dp_2'),
    orderId: fc.constantFrom('17', undefined),
    receivedAt: time,
    amount,
  })
  // A dispute always belongs to the same payment, but its events may omit the payment.
  .chain((event) => {
    const paymentId = fc.constantFrom(event.processorDisputeId.replace('dp', 'pay'), undefined)
    return paymentId.map((id) => ({ ...event, paymentId: id }))
  })
const record = fc.record({
  key: fc.constantFrom('pay-17-1', 'refund-17-1'),
  state: fc.constantFrom('planned', 'sent', 'unknown', 'succeeded', 'rejected', 'not_executed', 'needs_review'),
  attempts: fc.integer({ min: 0, max: 2 }),
  paymentId: fc.constantFrom('pay_1', 'pay_2', undefined),
  transactionId: fc.constantFrom('re_1', 're_2', undefined),
  status: fc.option(status, { nil: undefined }),
  errorId: fc.constantFrom('A', 'B', undefined),
  dateUpdated: time,
})

/** Returns the same elements in another order, some of them twice. */
const permuted = <T>(elements: readonly T[]) =>
  fc
    .tuple(fc.shuffledSubarray([...elements], { minLength: elements.length }), fc.subarray([...elements]))
    .chain(([all, again]) => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length }))

const observations = fc
  .tuple(
    fc.array(paymentState, { maxLength: 5 }),
    fc.array(dispute, { maxLength: 4 }),
    fc.array(record, { maxLength: 4 }),
  )
  .map(([payments, disputes, records]): Observation[][] => [
    [observeDecision('pay-17-1', { kind: 'pay', orderId: '17', number: 1 }, { amount: 3, currencyCode: 'EUR' })],
    [observeDecision('refund-17-1', { kind: 'refund', orderId: '17', number: 1 }, { amount: 1 })],
    ...payments.map((payment) => observePayment(payment as unknown as Payment)),
    ...disputes.map((event) => [observeDispute(event as DisputeStatusEvent)]),
    ...records.map((given) => {
      const operation = given.key.startsWith('pay') ? 'payments.create' : 'payments.refund'
      return observeRecord({ ...given, operation, body: { amount: 3 } } as unknown as OperationRecord)
    }),
  ])

function resultOf(inputs: readonly Observation[][]) {
  const known = Object.fromEntries(factTables.map((table) => [table, new Map<string, Facts>()])) as unknown as Known
  for (const input of inputs) learn(known, input, '17')
  const rows = factTables.map((table) => [...known[table]].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { order: toOrder('17', known), rows: JSON.parse(JSON.stringify(rows)) }
}

describe('the sequence of inputs', () => {
  it('produces the same order for any sequence of inputs', () => {
    const sets = observations.chain((set) => fc.tuple(fc.constant(set), permuted(set)))
    fc.assert(
      fc.property(sets, ([set, other]) => {
        expect(resultOf(other)).toEqual(resultOf(set))
      }),
      { numRuns },
    )
  })

  it('stores the same rows for interrupted webhooks in any sequence', async () => {
    const secret = 'a-secret-with-more-than-16-bytes'
    const client = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://service.invalid' })
    const event = fc.oneof(
      paymentState.map((payment) => ({ eventType: 'PAYMENT.STATUS' as const, payment })),
      dispute,
    )
    const tables = ['orders', ...factTables]

    /** Delivers events until each was stored. `onChange` fails at the given calls. */
    async function deliver(events: readonly object[], failures: readonly number[]) {
      const database = new DatabaseSync(':memory:')
      let calls = 0
      const onChange = () => {
        if (failures.includes(calls++)) throw new Error('onChange failed')
      }
      const orders = createOrders({ client, database, onChange })
      await orders.migrate()
      const handler = orders.webhooks({ secret })
      const body = (given: object) => JSON.stringify(given)
      const send = (given: object) =>
        handler(
          new Request('https://shop.example/', {
            method: 'POST',
            body: body(given),
            headers: sign(body(given), secret),
          }),
        )
      for (const given of events) while ((await send(given)).status !== 200);
      const rows = tables.map((table) => database.prepare(`SELECT * FROM payments_client_${table} ORDER BY 1`).all())
      database.close()
      return rows.map((all) => all.map(({ changed_at, ...row }) => row))
    }

    const sets = fc
      .array(event, { minLength: 1, maxLength: 8 })
      .chain((set) => fc.tuple(fc.constant(set), permuted(set), fc.array(fc.integer({ min: 0, max: 8 }))))
    await fc.assert(
      fc.asyncProperty(sets, async ([set, other, failures]) => {
        expect(await deliver(other, failures)).toEqual(await deliver(set, []))
      }),
      { numRuns: numRuns / 20 },
    )
  })
})
