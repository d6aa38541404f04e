import { readFileSync } from 'node:fs'
import {
  findNewRefund,
  isFinal,
  isNewer,
  isOpen,
  isPaid,
  latestRefund,
  type OperationRecord,
  type Payment,
  type Refund,
  refundsOf,
  remainingCapturable,
  remainingRefundable,
} from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aPayment, startSandbox } from '../../support/start-sandbox.js'

const refund = (transactionId: string | undefined, amount = 100, date?: string) => ({
  transactionType: 'REFUND',
  amount,
  ...(transactionId !== undefined && { processorTransactionId: transactionId }),
  ...(date !== undefined && { date }),
})
const withTransactions = (...transactions: NonNullable<Payment['transactions']>) => ({ id: 'pay_1', transactions })

describe('refundsOf', () => {
  it('returns each refund with transaction ID, amount, status and date, in order', () => {
    const payment = withTransactions(
      { ...refund('txn_2', 200, '2026-03-02T10:00:00.000002'), processorStatus: 'PENDING' },
      { transactionType: 'SALE', amount: 700, date: '2026-03-01T10:00:00', processorTransactionId: 'txn_0' },
      { ...refund('txn_1', 100, '2026-03-02 10:00:00.000001Z'), processorStatus: 'FAILED' },
    )

    expect(refundsOf(payment)).toEqual([
      { transactionId: 'txn_1', amount: 100, status: 'FAILED', date: '2026-03-02 10:00:00.000001Z' },
      { transactionId: 'txn_2', amount: 200, status: 'PENDING', date: '2026-03-02T10:00:00.000002' },
    ] satisfies Refund[])
  })

  it('returns refunds without a date first, and omits absent fields', () => {
    const payment = withTransactions(refund('txn_2', 200, '2026-03-02'), { transactionType: 'REFUND' })

    expect(refundsOf(payment)).toStrictEqual([{}, { transactionId: 'txn_2', amount: 200, date: '2026-03-02' }])
    expect(refundsOf({ id: 'pay_1' })).toEqual([])
  })

  it('does not change the given payment', () => {
    const payment = withTransactions(refund('txn_2', 200, '2026-03-02'), refund('txn_1', 100, '2026-03-01'))

    refundsOf(payment)
    latestRefund(payment)

    expect(payment.transactions.map(({ processorTransactionId }) => processorTransactionId)).toEqual(['txn_2', 'txn_1'])
  })
})

describe('findNewRefund', () => {
  it('returns the refund that a call made, even if another refund is more recent', async () => {
    const { sandbox, client } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(id)
    const earlier = await client.payments.refund(id, { amount: 300 })

    const after = await client.payments.refund(id, { amount: 200 })
    const own = findNewRefund(earlier, after, 200)
    await sandbox.clock.advance('1s')
    sandbox.processor.finishRefund(id, 'SETTLED')

    const latest = latestRefund(await client.payments.get(id))
    expect(latest).toMatchObject({ amount: 300, processorStatus: 'SETTLED' })
    expect(own).toMatchObject({ amount: 200, status: 'PENDING' })
    expect(refundsOf(await client.payments.get(id))[0]).toEqual(own)
  })

  it.each<
    [
      string,
      Parameters<typeof withTransactions>,
      Parameters<typeof withTransactions>,
      number | undefined,
      string | undefined,
    ]
  >([
    ['the only new refund', [refund('a')], [refund('a'), refund('b')], undefined, 'b'],
    ['the new refund of the amount', [refund('a')], [refund('a'), refund('b', 50), refund('c')], 100, 'c'],
    ['the oldest new refund', [], [refund('b', 100, '2026-03-02'), refund('a', 100, '2026-03-01')], 100, 'a'],
    ['undefined without a new refund', [refund('a')], [refund('a')], undefined, undefined],
    ['undefined without a new refund of the amount', [refund('a')], [refund('b', 50), refund('a')], 100, undefined],
    [
      'undefined for a refund that only got another status and date',
      [{ ...refund('a', 100, '2026-03-01'), processorStatus: 'PENDING' }],
      [{ ...refund('a', 100, '2026-03-02'), processorStatus: 'SETTLED' }],
      100,
      undefined,
    ],
  ])('returns %s', (_, before, after, amount, expected) => {
    expect(findNewRefund(withTransactions(...before), withTransactions(...after), amount)?.transactionId).toBe(expected)
  })

  it('distinguishes refunds without transaction IDs by amount and date', () => {
    const first = refund(undefined, 100, '2026-03-01')
    const second = refund(undefined, 100, '2026-03-02')

    expect(findNewRefund(withTransactions(first), withTransactions(first, second), 100)?.date).toBe('2026-03-02')
    expect(findNewRefund(withTransactions(first), withTransactions(first, first), 100)?.date).toBe('2026-03-01')
    expect(findNewRefund(withTransactions(first, second), withTransactions(first, second), 100)).toBeUndefined()
    expect(findNewRefund(withTransactions(first), withTransactions(second))?.date).toBe('2026-03-02')
    expect(findNewRefund(withTransactions(first), withTransactions({ ...first, amount: 50 }))?.amount).toBe(50)
  })

  it('distinguishes a refund with a transaction ID from an equal refund without one', () => {
    const withId = withTransactions(refund('a', 100, '2026-03-01'))
    const withoutId = withTransactions(refund(undefined, 100, '2026-03-01'))

    expect(findNewRefund(withoutId, withId)).toMatchObject({ transactionId: 'a' })
    expect(findNewRefund(withId, withoutId)).toEqual({ amount: 100, date: '2026-03-01' })
  })
})

describe('the function isNewer', () => {
  const older = { date: '2026-03-01T10:00:00.000001' }

  it.each([
    ['a later microsecond', { date: '2026-03-01T10:00:00.000002' }, older, true],
    ['an earlier microsecond', older, { date: '2026-03-01T10:00:00.000002' }, false],
    ['the same time in another format', { date: '2026-03-01 11:00:00.0000010+01:00' }, older, false],
    ['five fraction digits', { date: '2026-03-01T10:00:00.00001' }, older, true],
    ['a later dateUpdated, although date is earlier', { date: '2026-01-01', dateUpdated: '2026-03-02' }, older, true],
    ['an earlier dateUpdated, although date is later', { date: '2026-04-01', dateUpdated: '2026-02-01' }, older, false],
    ['no time', {}, older, false],
    ['an invalid time', { date: 'yesterday' }, older, false],
    ['only the first payment has a time', older, {}, true],
    ['neither payment has a time', {}, {}, false],
  ])('compares payments by their update time: %s', (_, a, b, expected) => {
    expect(isNewer(a, b)).toBe(expected)
  })
})

describe('the list of statuses in docs/guides/payments.md', () => {
  const guide = readFileSync('docs/guides/payments.md', 'utf8')
  const rows = [...guide.matchAll(/^- (`[A-Z].*?) \((open|paid|failed)\):/gm)].flatMap(
    ([, statuses = '', group = '']) => [...statuses.matchAll(/\w+/g)].map(([status]) => ({ status, group })),
  )

  it('lists every known payment status in the payments guide', () => {
    expect(rows.map(({ status }) => status).sort()).toEqual(
      ['AUTHORIZED', 'CANCELLED', 'DECLINED', 'FAILED', 'PENDING', 'PARTIALLY_SETTLED', 'SETTLED', 'SETTLING'].sort(),
    )
  })

  it.each(rows)('lists $status in the group that matches the results of isOpen and isPaid', ({ status, group }) => {
    expect({ open: isOpen({ id: 'pay_1', status }), paid: isPaid({ id: 'pay_1', status }) }).toEqual({
      open: group === 'open',
      paid: group === 'paid',
    })
  })

  it.each([undefined, 'SOMETHING_NEW', 'settled', 'toString'])(
    'isOpen returns true for the unknown status %j, isPaid and isFinal false',
    (status) => {
      expect([isOpen({ id: 'pay_1', status }), isPaid({ id: 'pay_1', status }), isFinal(status)]).toEqual([
        true,
        false,
        false,
      ])
    },
  )
})

describe('the payment helpers', () => {
  const payment = { id: 'pay_1', status: 'DECLINED' } as const
  const result = { record: {} as OperationRecord, payment }

  it.each<[string, (payment: never) => unknown]>([
    ['isPaid', isPaid],
    ['isOpen', isOpen],
    ['refundsOf', refundsOf],
    ['latestRefund', latestRefund],
    ['remainingCapturable', remainingCapturable],
    ['remainingRefundable', remainingRefundable],
    ['findNewRefund', (value) => findNewRefund(value, payment)],
    ['findNewRefund as its second argument', (value) => findNewRefund(payment, value)],
  ])('throws if a payment helper gets the result of operations.run: %s', (_, helper) => {
    expect(() => helper(result as never)).toThrow('payment must have an id: pass the field payment of this object')
    expect(() => helper({ status: 'SETTLED' } as never)).toThrow(
      'payment must have an id: pass a payment of the client',
    )
  })

  it('causes a type error if a payment helper gets the result of operations.run', () => {
    // @ts-expect-error
    expect(() => isOpen(result)).toThrow()
    // @ts-expect-error
    expect(() => refundsOf(result)).toThrow()
  })
})
