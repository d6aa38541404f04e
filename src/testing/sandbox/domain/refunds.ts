import { zoneless } from '../internal/clock.js'
import { refundFailure, scenarios } from '../internal/scenarios.js'
import type { PaymentRecord, StoredPayment, StoredTransaction } from '../store/records.js'
import type { Context } from './context.js'
import { newTransaction } from './creation.js'
import { sum } from './fields.js'
import { paymentEvent } from './payments.js'

/** Returns the captured amount minus all pending and successful refunds. */
export function refundable({ processor }: StoredPayment): number {
  return processor.amountCaptured - processor.amountRefunded
}

export function hasRefunds({ transactions }: StoredPayment): boolean {
  return transactions.some(isRefunding)
}

/** Adds a refund as a transaction. The refund remains pending, except in scenarios with an immediate result. */
export function startRefund(record: PaymentRecord, amount: number, context: Context): StoredPayment {
  const { payment } = record
  const refund = newTransaction('REFUND', { ...payment, amount }, context)
  changeTransactions(record, [...payment.transactions, refund], context)
  const status = scenarios[record.scenario].onRefund
  return status === 'PENDING' ? record.payment : finishRefund(record, refund, status, context)
}

export function pendingRefund({ transactions }: StoredPayment): StoredTransaction | undefined {
  return transactions.find((each) => each.transactionType === 'REFUND' && each.processorStatus === 'PENDING')
}

/**
 * Sets the final status of a refund.
 *
 * Updates the refund's date, because receivers of PAYMENT.REFUND read the refund with the latest date.
 */
export function finishRefund(
  record: PaymentRecord,
  refund: StoredTransaction,
  status: 'SETTLED' | 'FAILED',
  context: Context,
): StoredPayment {
  const others = record.payment.transactions.filter((transaction) => transaction !== refund)
  const finished = {
    ...refund,
    date: zoneless(context.clock.now()),
    processorStatus: status,
    ...(status === 'FAILED' && { processorStatusReason: refundFailure }),
  }
  changeTransactions(record, [...others, finished], context)
  context.emit(paymentEvent('PAYMENT.REFUND', record, context.clock.now()))
  return record.payment
}

function changeTransactions(record: PaymentRecord, transactions: StoredTransaction[], { payments }: Context): void {
  const amountRefunded = sum(transactions.filter(isRefunding).map(({ amount }) => amount))
  payments.change(record, { transactions, processor: { ...record.payment.processor, amountRefunded } })
}

function isRefunding({ transactionType, processorStatus }: StoredTransaction): boolean {
  return transactionType === 'REFUND' && processorStatus !== 'FAILED'
}
