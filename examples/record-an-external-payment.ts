// Records a payment that another system made, so that the dashboards show it (beta).
import { isPaymentsError, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

const record = {
  paymentId: 'till-3-000871',
  currencyCode: 'EUR',
  amount: 1990,
  createdAt: '2026-03-02T09:00:00Z',
  processor: { name: 'SHOP_TILL' },
  order: { id: 'order-17' },
  paymentMethod: { paymentMethodType: 'PAYMENT_CARD' },
  paymentType: 'IN_STORE',
  status: 'PENDING',
} as const

// The service records each `paymentId` once, so retries are safe. `resend: true` allows the client to retry.
const created = await client.observability.payments.create(record, { resend: true })
console.log(created.paymentId, created.status) //=> 'till-3-000871' 'PENDING'

const updated = await client.observability.payments.update('till-3-000871', { status: 'SETTLED' })
console.log(updated.status, updated.amount) //=> 'SETTLED' 1990

// A second record with the same `paymentId` is rejected.
try {
  await client.observability.payments.create(record)
} catch (error) {
  if (isPaymentsError(error)) console.log(error.httpStatus, error.outcome) //=> 409 'rejected'
}
