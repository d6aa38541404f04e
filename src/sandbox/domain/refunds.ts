import type { PaymentRecord, StoredPayment, StoredTransaction } from '../store/records.js'
import { zoneless } from '../times.js'
import { sum } from './amounts.js'
import type { Desk } from './context.js'
import { refundFailure, scenarios } from './scenarios.js'

type RefundStatus = 'PENDING' | 'SETTLED' | 'FAILED'

/** What can still be refunded: what was captured, less the refunds that are pending or succeeded. */
export function refundable({ processor }: StoredPayment): number {
  return processor.amountCaptured - processor.amountRefunded
}

export function hasRefunds({ transactions }: StoredPayment): boolean {
  return transactions.some((transaction) => isRefund(transaction) && transaction.processorStatus !== 'FAILED')
}

/** Refund so much, as a transaction of its own. It stays pending unless the scenario says otherwise. */
export function startRefund(record: PaymentRecord, amount: number, desk: Desk): StoredPayment {
  const { payment } = record
  const refund: StoredTransaction = {
    date: zoneless(desk.clock.now()),
    amount,
    currencyCode: payment.currencyCode,
    transactionType: 'REFUND',
    processorTransactionId: desk.random.id('txn'),
    processorName: payment.processor.name,
    processorMerchantId: payment.processor.processorMerchantId,
    processorStatus: 'PENDING',
  }
  changeTransactions(record, [...payment.transactions, refund], desk)
  const status = scenarios[record.scenario].onRefund
  return status === 'PENDING' ? record.payment : finishRefund(record, refund, status, desk)
}

/** The refund that has been pending for longest. */
export function pendingRefund({ transactions }: StoredPayment): StoredTransaction | undefined {
  return transactions.find((transaction) => isRefund(transaction) && transaction.processorStatus === 'PENDING')
}

/**
 * A refund reaches its final state. It becomes the most recent transaction, because receivers of PAYMENT.REFUND look at
 * the most recent refund.
 */
export function finishRefund(
  record: PaymentRecord,
  refund: StoredTransaction,
  status: Exclude<RefundStatus, 'PENDING'>,
  desk: Desk,
): StoredPayment {
  const others = record.payment.transactions.filter((transaction) => transaction !== refund)
  const finished = {
    ...refund,
    date: zoneless(desk.clock.now()),
    processorStatus: status,
    ...(status === 'FAILED' && { processorStatusReason: refundFailure }),
  }
  changeTransactions(record, [...others, finished], desk)
  desk.events.paymentRefund(record)
  return record.payment
}

function changeTransactions(record: PaymentRecord, transactions: StoredTransaction[], desk: Desk): void {
  const standing = transactions.filter((each) => isRefund(each) && each.processorStatus !== 'FAILED')
  const amountRefunded = sum(standing.map(({ amount }) => amount))
  desk.payments.change(record, { transactions, processor: { ...record.payment.processor, amountRefunded } })
}

function isRefund({ transactionType }: StoredTransaction): boolean {
  return transactionType === 'REFUND'
}
