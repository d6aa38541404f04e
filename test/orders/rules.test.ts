import { describe, expect, it } from 'vitest'
import { parseOrderKey, toOrderKey } from '../../src/core/helpers/order-keys.js'
import type { OperationState } from '../../src/operations/record.js'
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
import { type Intent, type Plan, plan, toOrder } from '../../src/orders/order.js'
import type { Order } from '../../src/orders/types.js'

type State = Parameters<typeof observePayment>[0]

/** A payment of 5000 that was captured and settled. */
const settled = {
  id: 'pay_1',
  status: 'SETTLED',
  amount: 5000,
  currencyCode: 'EUR',
  dateUpdated: '2026-01-01T00:00:05',
  processor: { amountCaptured: 5000 },
}
const refundOf = (processorTransactionId: string | undefined, processorStatus: string, amount = 1000) => {
  return { transactionType: 'REFUND', processorTransactionId, processorStatus, amount }
}
const refund = (status: string, amount?: number) => ({ transactions: [refundOf('re_1', status, amount)] })
/** The amounts before a refund of 5000 failed. */
const staleRefund = { amountCaptured: 5000, amountRefunded: 5000 }
const withoutAmount = {
  transactions: [{ transactionType: 'REFUND', processorTransactionId: 're_1', processorStatus: 'SETTLED' }],
  processor: staleRefund,
}
/** The payment with these refunds, in the given second. */
const refundedAt = (second: number, ...transactions: object[]) =>
  pay({ ...settled, dateUpdated: `2026-01-01T00:00:0${second}`, transactions })
const pay = (payment: object) => observePayment(payment as State)
const attempt = (state: OperationState = 'succeeded', number = 1) =>
  decided('pay', state, { number, currencyCode: 'EUR' })
const cancelledAt = (date: string) => pay({ id: 'pay_2', status: 'CANCELLED', date })
/** An attempt whose response was lost. Its date is not known. */
const declinedAttempt = observeRecord({
  key: 'pay-17-1',
  operation: 'payments.create',
  state: 'succeeded',
  attempts: 1,
  paymentId: 'pay_1',
  status: 'DECLINED',
  createdAt: new Date('2026-01-01T00:00:05Z'),
} as never)
const dispute = (status: string, receivedAt?: string) => [
  observeDispute({
    eventType: 'DISPUTE.STATUS',
    processorDisputeId: 'dp_1',
    type: 'DISPUTE',
    status,
    receivedAt,
  } as never),
]

interface DecisionFields {
  number?: number
  amount?: number | undefined
  id?: string | undefined
  currencyCode?: string
  transactionId?: string
  paymentId?: string | undefined
  status?: string
}

function decided(
  kind: Intent['kind'],
  state: OperationState,
  { number = 1, ...rest }: DecisionFields = {},
): Observation[] {
  const { amount, paymentId } = {
    amount: 5000,
    ...(state === 'succeeded' && { paymentId: kind === 'pay' ? `pay_${number}` : 'pay_1' }),
    ...rest,
  }
  const parts = { kind, orderId: '17', id: rest.id, number }
  const key = toOrderKey('', parts)
  const operation = kind === 'pay' ? 'payments.create' : `payments.${kind}`
  const { transactionId, status } = rest
  const record = { key, operation, state, attempts: 1, transactionId, paymentId, status }
  return [observeDecision(key, parts, { amount, currencyCode: rest.currencyCode }), ...observeRecord(record as never)]
}

function orderOf(...inputs: Observation[][]): Order {
  const known = Object.fromEntries(factTables.map((table) => [table, new Map<string, Facts>()])) as unknown as Known
  for (const input of inputs) learn(known, input, '17')
  return toOrder('17', known) as Order
}

describe('the state of an order', () => {
  it.each<[state: Order['state'], inputs: Observation[][]]>([
    ['pending', [attempt('unknown')]],
    ['pending', [attempt('needs_review')]],
    ['pending', [attempt(), pay({ id: 'pay_1', status: 'PENDING' })]],
    ['pending', [attempt(), pay({ id: 'pay_1', status: 'A_NEW_STATUS' })]],
    ['action_required', [attempt(), pay({ id: 'pay_1', status: 'PENDING', requiredAction: { name: '3DS' } })]],
    ['authorized', [attempt(), pay({ ...settled, status: 'AUTHORIZED', processor: { amountCaptured: 0 } })]],
    ['partially_paid', [attempt(), pay({ ...settled, processor: { amountCaptured: 1 } })]],
    ['paid', [attempt(), pay(settled)]],
    ['paid', [attempt(), pay({ ...settled, ...refund('FAILED') })]],
    ['paid', [attempt(), pay({ ...settled, status: 'SETTLING' })]],
    ['partially_refunded', [attempt(), pay({ ...settled, ...refund('PENDING') })]],
    ['refunded', [attempt(), pay({ ...settled, ...refund('SETTLED', 5000) })]],
    ['refunded', [attempt(), pay({ ...settled, processor: { amountCaptured: 5000, amountRefunded: 5000 } })]],
    ['refunded', [attempt(), pay({ ...settled, ...withoutAmount })]],
    [
      'refunded',
      [
        attempt(),
        pay({ ...settled, status: 'AUTHORIZED', processor: { amountRefunded: 0 } }),
        pay({ ...settled, dateUpdated: undefined, processor: staleRefund }),
      ],
    ],
    [
      'refunded',
      [attempt(), pay({ ...settled, processor: staleRefund }), pay({ ...settled, dateUpdated: '2026-01-01T00:00:06' })],
    ],
    ['paid', [attempt(), pay({ ...settled, ...refund('FAILED', 5000), processor: staleRefund })]],
    ['partially_paid', [attempt(), pay({ ...settled, status: 'PARTIALLY_SETTLED', processor: undefined })]],
    ['failed', [attempt('rejected')]],
    ['failed', [attempt('not_executed')]],
    ['failed', [attempt(), pay({ id: 'pay_1', status: 'DECLINED' })]],
    ['cancelled', [attempt(), pay({ id: 'pay_1', status: 'CANCELLED' })]],
    ['pending', [attempt(), pay({ id: 'pay_1', status: 'DECLINED' }), attempt('sent', 2)]],
    ['failed', [cancelledAt('2026-01-01T00:00:04'), declinedAttempt]],
    ['cancelled', [cancelledAt('2026-01-01T00:00:06'), declinedAttempt]],
  ])('derives the state %s from the stored facts (case %#)', (state, inputs) => {
    expect(orderOf(...inputs).state).toBe(state)
  })
})

describe('mayShip', () => {
  it('allows shipping if the full amount is settled', () => {
    expect(orderOf(attempt(), pay(settled)).mayShip).toBe(true)
    expect(orderOf(attempt(), pay({ ...settled, ...refund('FAILED') })).mayShip).toBe(true)
    expect(orderOf(attempt(), pay(settled), dispute('WON')).mayShip).toBe(true)
    expect(orderOf(attempt(), pay(settled), decided('refund', 'rejected')).mayShip).toBe(true)
  })

  it.each<[reason: string, inputs: Observation[][]]>([
    ['the payment is settling', [pay({ ...settled, status: 'SETTLING' })]],
    ['the captured amount is unknown', [pay({ ...settled, processor: undefined })]],
    ['less than the amount is captured', [pay({ ...settled, processor: { amountCaptured: 4999 } })]],
    ['the currency differs', [pay({ ...settled, currencyCode: 'USD' })]],
    ['a refund is only in the processor’s amounts', [pay({ ...settled, processor: staleRefund })]],
    ['a refund is in progress', [pay({ ...settled, ...refund('PENDING') })]],
    ['a refund is decided', [pay(settled), decided('refund', 'planned')]],
    ['a refund succeeded whose transaction is unknown', [pay(settled), decided('refund', 'succeeded')]],
    ['a decision is open', [pay(settled), decided('cancel', 'unknown')]],
    ['a decision needs a review', [pay(settled), decided('capture', 'needs_review')]],
    ['another payment is live', [pay(settled), pay({ ...settled, id: 'pay_2', status: 'AUTHORIZED' })]],
    ['a dispute is open', [pay(settled), dispute('OPEN')]],
    ['a dispute is lost', [pay(settled), dispute('LOST')]],
    ['a dispute is accepted', [pay(settled), dispute('ACCEPTED')]],
    ['a dispute has a new status', [pay(settled), dispute('A_NEW_STATUS')]],
  ])('forbids shipping if %s', (_, inputs) => {
    expect(orderOf(attempt(), ...inputs).mayShip).toBe(false)
  })
})

describe('conflicting states of an order', () => {
  it('keeps the state with the latest time', () => {
    const later = { ...settled, status: 'FAILED', dateUpdated: '2026-01-01T00:00:05.000001' }

    expect(orderOf(pay(later), pay(settled)).payment?.status).toBe('FAILED')
  })

  it('keeps a later state if another state has no time', () => {
    const { dateUpdated: _, ...untimed } = settled
    const authorized = { ...settled, status: 'AUTHORIZED', processor: {} }

    expect(orderOf(pay(untimed), pay(authorized)).payment?.status).toBe('SETTLED')
    expect(orderOf(pay(settled), pay({ ...untimed, status: 'AUTHORIZED' })).payment?.status).toBe('SETTLED')
  })

  it('updates the status of a refund until it is final', () => {
    const order = orderOf(pay({ ...settled, ...refund('SETTLING') }), pay({ ...settled, ...refund('FAILED') }))

    expect(order).toMatchObject({ refunds: [{ status: 'FAILED' }], refunded: 0, needsReview: false })
  })

  it('requires a review if a refund is reported as both succeeded and failed', () => {
    const later = { ...settled, dateUpdated: '2026-01-01T00:00:06', ...refund('FAILED') }
    const order = orderOf(pay(later), pay({ ...settled, ...refund('SETTLED') }))

    expect(order).toMatchObject({ refunds: [{ status: 'FAILED' }], needsReview: true })
  })

  it('requires no review once all payments of an order but one are refunded', () => {
    const first = { ...settled, id: 'pay_0', date: '2025-12-31T00:00:00' }
    const returned = { ...first, ...refund('SETTLED', 5000) }
    const failed = { ...first, dateUpdated: '2026-01-01T00:00:07', ...refund('FAILED', 5000) }

    expect(orderOf(attempt(), pay(settled), pay(first))).toMatchObject({ needsReview: true, mayShip: false })
    expect(orderOf(attempt(), pay(settled), pay(returned))).toMatchObject({
      ...{ state: 'paid', captured: 5000, refunded: 0, needsReview: false, mayShip: true },
      ...{ payment: { id: 'pay_1' }, payments: [{}, {}], refunds: [{ paymentId: 'pay_0' }] },
    })
    expect(orderOf(attempt(), pay(settled), pay({ ...first, ...refund('PENDING', 4999) })).needsReview).toBe(true)
    expect(orderOf(attempt(), pay(settled), pay(failed))).toMatchObject({ needsReview: true, mayShip: false })
  })

  it('requires a review of a failed payment until its captured money is refunded', () => {
    const cancelled = { ...settled, status: 'CANCELLED', processor: { amountCaptured: 3000 } }

    expect(orderOf(attempt(), pay(cancelled))).toMatchObject({ state: 'cancelled', needsReview: true })
    expect(orderOf(attempt(), pay({ ...cancelled, status: 'FAILED' })).needsReview).toBe(true)
    expect(orderOf(attempt(), pay({ ...cancelled, ...refund('SETTLED', 3000) })).needsReview).toBe(false)
  })

  it('shows one payment if both payments of an order are refunded', () => {
    const { transactions } = refund('SETTLED', 5000)
    const both = ['0', '1'].map((id) => {
      const own = transactions.map((transaction) => ({ ...transaction, processorTransactionId: `re_${id}` }))
      return pay({ ...settled, id: `pay_${id}`, transactions: own })
    })

    expect(orderOf(attempt(), ...both)).toMatchObject({ state: 'refunded', refunded: 5000, needsReview: false })
  })

  it('merges a refund without an ID with its later transaction', () => {
    const first = pay({ ...settled, transactions: [refundOf(undefined, 'PENDING')] })
    const { refunds } = orderOf(first, pay({ ...settled, ...refund('SETTLED') }), first)

    expect(refunds).toEqual([{ transactionId: 're_1', paymentId: 'pay_1', amount: 1000, status: 'SETTLED' }])
  })

  it('keeps a refund without an ID if an earlier refund fails and moves behind it', () => {
    const pending = refundOf(undefined, 'PENDING', 2000)
    const both = refundedAt(6, refundOf('re_1', 'PENDING'), pending)
    const moved = refundedAt(7, pending, refundOf('re_1', 'FAILED'))

    const order = orderOf(attempt(), refundedAt(5, refundOf('re_1', 'PENDING')), both, moved)

    expect(order).toMatchObject({ refunded: 2000, mayShip: false, refunds: [{ amount: 2000 }, { status: 'FAILED' }] })
  })

  it('requires no review if refunds without IDs change their positions', () => {
    const one = (status: string) => refundOf(undefined, status, 1000)
    const other = (status: string) => refundOf(undefined, status, 2000)
    const states = [
      refundedAt(5, one('PENDING'), other('PENDING')),
      refundedAt(6, other('PENDING'), one('FAILED')),
      refundedAt(7, one('FAILED'), other('SETTLED')),
    ]

    expect(orderOf(attempt(), ...states)).toMatchObject({
      ...{ refunded: 2000, needsReview: false },
      refunds: [
        { amount: 2000, status: 'SETTLED' },
        { amount: 1000, status: 'FAILED' },
      ],
    })
  })

  it('keeps a pending refund without an ID if the ID of a failed one becomes known', () => {
    const { dateUpdated: _, ...untimed } = settled
    const unidentified = refundedAt(5, refundOf(undefined, 'FAILED'), refundOf(undefined, 'PENDING', 2000))
    const identified = pay({ ...untimed, ...refund('FAILED') })

    expect(orderOf(attempt(), identified, unidentified)).toMatchObject({
      ...{ refunded: 2000, mayShip: false },
      refunds: [{ amount: 2000 }, { transactionId: 're_1' }],
    })
  })

  it('keeps a refund without an ID that only an event without a time contains', () => {
    const { dateUpdated: _, ...untimed } = settled
    const transactions = [refundOf('re_1', 'FAILED'), { transactionType: 'REFUND', processorStatus: 'PENDING' }]

    const order = orderOf(attempt(), pay({ ...untimed, transactions }), refundedAt(6, refundOf('re_1', 'FAILED')))

    expect(order).toMatchObject({ mayShip: false, refunds: [{ status: 'PENDING' }, { status: 'FAILED' }] })
  })

  it('uses the newest complete state of a refund without an ID', () => {
    const { dateUpdated: _, ...untimed } = settled
    const event = (transaction: object) => pay({ ...untimed, transactions: [transaction] })
    const pending = refundedAt(5, refundOf(undefined, 'PENDING'))
    const states = [refundedAt(6, refundOf(undefined, 'FAILED')), refundedAt(5, refundOf(undefined, 'SETTLED'))]

    expect(orderOf(pending, event(refundOf(undefined, 'FAILED'))).refunds).toMatchObject([{ status: 'FAILED' }])
    expect(orderOf(...states).refunds).toMatchObject([{ status: 'FAILED' }])
    expect(orderOf(pending, event({ transactionType: 'REFUND', processorStatus: 'SETTLED' })).refunded).toBe(1000)
  })

  it('updates the decision of a refund whose ID arrives late', () => {
    const decision = (id: string) => decided('refund', 'succeeded', { id, amount: 1000, status: 'PENDING' })
    const failed = refundedAt(6, refundOf('re_1', 'FAILED'))
    const statusesOf = (order: Order) =>
      order.decisions.filter(({ kind }) => kind === 'refund').map(({ status }) => status)

    expect(statusesOf(orderOf(attempt(), decision('a'), failed))).toEqual(['FAILED'])
    // The refund may belong to either decision, and either refund to the decision.
    expect(statusesOf(orderOf(attempt(), decision('a'), decision('b'), failed))).toEqual(['PENDING', 'PENDING'])
    const another = refundedAt(6, refundOf('re_1', 'FAILED'), refundOf('re_2', 'PENDING'))
    expect(statusesOf(orderOf(attempt(), decision('a'), another))).toEqual(['PENDING'])
    const identified = decided('refund', 'succeeded', { id: 'b', amount: 1000, transactionId: 're_2' })
    expect(statusesOf(orderOf(attempt(), decision('a'), identified, another))).toEqual(['FAILED', 'PENDING'])
    const bothFailed = refundedAt(6, refundOf('re_1', 'FAILED'), refundOf('re_2', 'FAILED'))
    expect(statusesOf(orderOf(attempt(), decision('a'), decision('b'), bothFailed))).toEqual(['FAILED', 'FAILED'])
    const unseen = decided('refund', 'succeeded', { id: 'a', amount: 1000 })
    expect(statusesOf(orderOf(attempt(), unseen, failed))).toEqual([undefined])
  })

  it('separates disputes of two orders if their events have no other ID', () => {
    const [one, other] = ['17', '18'].map((orderId) => observeDispute({ eventType: 'DISPUTE.STATUS', orderId }))

    expect(one?.id).not.toBe(other?.id)
  })

  it('prefers the latest event of a dispute, or a closed status without times', () => {
    const statusOf = (...inputs: Observation[][]) => orderOf(pay(settled), ...inputs).disputes[0]?.status

    expect(statusOf(dispute('WON', '2026-01-02T00:00:00'), dispute('LOST', '2026-01-01T00:00:00'))).toBe('WON')
    expect(statusOf(dispute('LOST'), dispute('OPEN'))).toBe('LOST')
  })
})

describe('planning a call', () => {
  const authorized = [attempt(), pay({ ...settled, status: 'AUTHORIZED', processor: { amountCaptured: 1000 } })]
  const paid = [attempt(), pay(settled)]
  const free = [
    decided('pay', 'succeeded', { amount: 0 }),
    pay({ ...settled, status: 'AUTHORIZED', amount: 0, processor: {} }),
  ]
  const declined = pay({ id: 'pay_1', status: 'DECLINED' })
  const cancelled = pay({ id: 'pay_1', status: 'CANCELLED' })
  /** An order that was cancelled, and then paid for again. */
  const reopened = (id: string | undefined) => [
    ...[attempt(), cancelled, decided('cancel', 'succeeded', { id, amount: undefined, paymentId: 'pay_1' })],
    ...[attempt('succeeded', 2), pay({ ...settled, id: 'pay_2', status: 'AUTHORIZED', processor: {} })],
  ]
  const payIntent: Intent = { kind: 'pay', amount: 5000, currencyCode: 'EUR' }
  const capture = (amount?: number, id?: string): Intent => ({ kind: 'capture', amount, id })
  const final: Intent = { ...capture(1000, 'b'), final: true }
  const refundIntent = (amount?: number, id?: string): Intent => ({ kind: 'refund', amount, id })

  it.each<[result: Plan | string, intent: Intent, inputs: Observation[][]]>([
    [{ number: 1 }, payIntent, []],
    [{ number: 2 }, payIntent, [attempt('rejected')]],
    [{ number: 2 }, payIntent, [attempt('not_executed')]],
    [{ number: 2 }, payIntent, [attempt(), declined]],
    [{ number: 2 }, { ...payIntent, amount: 1 }, [attempt(), declined]],
    [{ key: 'pay-17-1' }, payIntent, [attempt('unknown')]],
    [undefined, payIntent, [attempt('needs_review')]],
    [undefined, payIntent, authorized],
    ['changed', { ...payIntent, amount: 1 }, authorized],
    ['changed', { ...payIntent, currencyCode: 'USD' }, [attempt('unknown')]],
    ['cancelled', payIntent, [attempt(), cancelled]],
    ['unknown_order', capture(), []],
    ['no_payment', capture(), [attempt(), declined]],
    [undefined, capture(), paid],
    ['exceeds', capture(5000), paid],
    ['no_payment', capture(), [...paid, decided('capture', 'succeeded', { id: 'a' })]],
    ['no_payment', capture(), [...paid, decided('capture', 'succeeded', { id: 'a', amount: undefined })]],
    [{ number: 1 }, capture(), authorized],
    [{ number: 1 }, capture(4000, 'a'), authorized],
    ['exceeds', capture(4001, 'a'), authorized],
    [{ number: 1 }, capture(4000, 'b'), [...authorized, decided('capture', 'sent', { id: 'a', amount: 1000 })]],
    ['exceeds', capture(3001, 'b'), [...authorized, decided('capture', 'sent', { id: 'a', amount: 2000 })]],
    ['exceeds', capture(1, 'b'), [...authorized, decided('capture', 'sent', { amount: undefined, id: 'a' })]],
    [{ key: 'capture-17-a-1' }, capture(5000, 'a'), [...authorized, decided('capture', 'sent', { id: 'a' })]],
    [undefined, capture(5000, 'a'), [...paid, decided('capture', 'succeeded', { id: 'a' })]],
    ['changed', capture(4999, 'a'), [...paid, decided('capture', 'succeeded', { id: 'a' })]],
    [{ number: 2 }, capture(4000, 'a'), [...authorized, decided('capture', 'rejected', { id: 'a' })]],
    [{ number: 1 }, final, [...authorized, decided('capture', 'succeeded', { id: 'a', amount: 1000 })]],
    ['capture_open', final, [...authorized, decided('capture', 'unknown', { id: 'a', amount: 1000 })]],
    [
      'no_payment',
      refundIntent(),
      [attempt(), pay({ ...settled, status: 'AUTHORIZED', processor: { amountCaptured: 0 } })],
    ],
    [{ number: 1 }, refundIntent(5000), paid],
    ['exceeds', refundIntent(5001), paid],
    ['exceeds', refundIntent(1), [attempt(), pay({ ...settled, ...refund('SETTLED', 5000) })]],
    ['exceeds', refundIntent(4001), [attempt(), pay({ ...settled, ...refund('PENDING') })]],
    [undefined, refundIntent(), [attempt(), pay({ ...settled, ...refund('PENDING', 5000) })]],
    [{ number: 1 }, { kind: 'cancel' }, authorized],
    [undefined, { kind: 'cancel' }, [attempt(), cancelled]],
    [{ number: 1 }, capture(), free],
    [{ number: 1 }, { kind: 'cancel' }, free],
    ['no_payment', { kind: 'cancel' }, [attempt(), declined]],
    ['no_payment', { kind: 'cancel' }, paid],
    [{ number: 2 }, { kind: 'cancel' }, reopened(undefined)],
    [undefined, { kind: 'cancel', id: 'a' }, reopened('a')],
    [{ number: 1 }, { kind: 'cancel', id: 'b' }, reopened('a')],
  ])('returns or throws the result %j (case %#)', (result, intent, inputs) => {
    const order = inputs.length === 0 ? undefined : orderOf(...inputs)
    const planned = () => plan(intent, order)

    if (typeof result === 'string') expect(planned).toThrow(expect.objectContaining({ reason: result }))
    else expect(planned()).toEqual(result)
  })

  it.each<[title: string, retry: string, intent: Intent, inputs: Observation[][]]>([
    ['an unknown payment', 'same-key', { kind: 'cancel' }, [attempt('unknown')]],
    ['a declined payment', 'no', { kind: 'cancel' }, [attempt(), declined]],
    [
      'an unknown capture',
      'same-key',
      final,
      [...authorized, decided('capture', 'unknown', { id: 'a', amount: 1000 })],
    ],
    ['a smaller rest', 'no', capture(4001), authorized],
  ])('the error after %s has the retry advice %s', (_, retry, intent, inputs) => {
    expect(() => plan(intent, orderOf(...inputs))).toThrow(expect.objectContaining({ retry }))
  })

  it('starts a new attempt with the same id after a failed refund', () => {
    const failed = pay({ ...settled, ...refund('FAILED') })
    const order = orderOf(attempt(), failed, decided('refund', 'succeeded', { amount: 1000, transactionId: 're_1' }))

    expect(plan(refundIntent(2000), order)).toEqual({ number: 2 })
  })

  it('does not pay again if a reported payment is unknown and another was declined', () => {
    const resolved = decided('pay', 'succeeded', { paymentId: undefined, currencyCode: 'EUR' })

    expect(plan(payIntent, orderOf(resolved, declined))).toBeUndefined()
    expect(plan(payIntent, orderOf(resolved, declined, cancelled), true)).toEqual({ number: 2 })
  })

  it('allows another payment once a person adds the ID of a declined one', () => {
    const inputs = [undefined, 'pay_1'].map((paymentId) =>
      decided('pay', 'succeeded', { paymentId, currencyCode: 'EUR' }),
    )

    expect(plan(payIntent, orderOf(...inputs, declined))).toEqual({ number: 2 })
    expect(plan(payIntent, orderOf(...inputs.toReversed(), declined))).toEqual({ number: 2 })
  })

  it('allows payment of a cancelled order if reopen is set', () => {
    expect(plan(payIntent, orderOf(attempt(), cancelled), true)).toEqual({ number: 2 })
  })
})

describe('the key of a decision', () => {
  it.each([
    ['eu/pay-order%2D17-1', 'eu/', { kind: 'pay', orderId: 'order-17', number: 1 }],
    ['refund-17-r%C3%A9-12', '', { kind: 'refund', orderId: '17', id: 'ré', number: 12 }],
  ] as const)('formats and parses the key %s', (key, prefix, parts) => {
    expect(toOrderKey(prefix, parts)).toBe(key)
    expect(parseOrderKey(key, prefix)).toEqual(parts)
    expect(parseOrderKey(key)).toEqual(parts)
  })

  it('replaces a part of the key that is too long by its hash', () => {
    const key = toOrderKey('', { kind: 'cancel', orderId: '%'.repeat(31), number: 1 })

    expect(key).toMatch(/^cancel-h_[0-9a-f]{64}-1$/)
  })
})
