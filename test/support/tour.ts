import { cartOf, type KnownVersion } from '../../src/core/contract/version.js'
import type { PaymentsClient } from '../../src/index.js'

export interface Checkout {
  token(scenario?: 'card' | 'estimated' | 'pending' | 'requires3ds'): string
  /** Completes the required action of a payment, and returns the resume token. */
  resumeToken(paymentId: string): string
}

const order = { lineItems: [{ itemId: 'teapot', name: 'Teapot', amount: 3500, quantity: 1 }], countryCode: 'GB' }
const facts = { orderId: 'order-1001', currencyCode: 'GBP', customerId: 'ada' }
const cart = { lineItems: order.lineItems, orderDetails: { countryCode: 'GB' } }

/** Calls every operation. */
export async function tour(
  client: PaymentsClient<'2021-09-27' | '2.1'>,
  version: KnownVersion,
  { token, resumeToken }: Checkout,
): Promise<void> {
  const { payments, paymentInstruments, observability, loyalty } = client as PaymentsClient
  const { clientToken } =
    cartOf(version) === 'lineItems'
      ? await (client as PaymentsClient<'2.1'>).clientSessions.create({ ...facts, ...cart })
      : await (client as PaymentsClient).clientSessions.create({ ...facts, order })
  await client.clientSessions.get(clientToken)
  await client.clientSessions.update(clientToken, { customer: { emailAddress: 'ada@example.com' } })

  const saved = await paymentInstruments.vault(token(), { customerId: 'ada' })
  await paymentInstruments.setDefault(saved.token)
  await paymentInstruments.list({ customerId: 'ada' })

  const body = { ...facts, amount: 3500, metadata: { channel: 'web' } }
  const captured = await payments.create({ ...body, paymentMethodToken: saved.token })
  await payments.get(captured.id)
  await payments.capture(captured.id, { amount: 3500, final: true })
  await payments.refund(captured.id, { amount: 500, reason: 'dented' })
  const cancelled = await payments.create({ ...body, paymentMethodToken: token() })
  await payments.cancel(cancelled.id, { reason: 'out of stock' })
  const estimated = await payments.create({
    ...body,
    paymentMethodToken: token('estimated'),
    paymentMethod: { authorizationType: 'ESTIMATED' },
  })
  await payments.adjustAuthorization(estimated.id, { amount: 4000 })
  const challenged = await payments.create({ ...body, paymentMethodToken: token('requires3ds') })
  await payments.resume(challenged.id, { resumeToken: resumeToken(challenged.id) })
  const pending = await payments.create({ ...body, paymentMethodToken: token('pending') })
  await payments.authorize(pending.id, { processor: { processorMerchantId: 'merchant-1' } })
  await payments.list({ status: ['SETTLED', 'CANCELLED'], limit: 2 })
  await paymentInstruments.delete(saved.token)

  const { paymentId = '' } = await observability.payments.create({
    paymentId: 'external-1',
    currencyCode: 'GBP',
    processor: { name: 'STRIPE' },
    amount: 1250,
    createdAt: '2026-03-02T08:00:00Z',
    order: { id: 'order-1002' },
    paymentMethod: { paymentMethodType: 'PAYMENT_CARD' },
  })
  await observability.payments.update(paymentId, { status: 'SETTLED' })

  const points = { connectionId: 'connection-1', customerId: 'member-1' }
  await loyalty.transactions.create({ ...points, orderId: 'order-1001', value: 120, type: 'REDEMPTION' })
  await loyalty.transactions.list({ connectionId: 'connection-1', limit: 10 })
  await loyalty.customers.get('member-1', { connectionId: 'connection-1' })
}
