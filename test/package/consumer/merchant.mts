import {
  ApiError,
  type ClientOptions,
  type Payment,
  PaymentsClient,
  type PaymentsError,
  webhooks,
} from 'payments-client'
import { createWebhookStore as createPostgresStore } from 'payments-client/postgres'
import { createWebhookStore as createRedisStore } from 'payments-client/redis'
import { createSandbox, type Sandbox } from 'payments-client/sandbox'
import { PaymentSchema } from 'payments-client/schemas'
import { createWebhookStore as createSqliteStore } from 'payments-client/sqlite'
import { verify } from 'payments-client/webhooks'

const sandbox: Sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())
const options: ClientOptions = { apiKey: 'key', baseUrl: 'https://payments.example', maxRetries: 0 }
export const current = new PaymentsClient({ ...options, apiVersion: '2.1' })

export const connect = (apiKey: string) => new PaymentsClient({ apiKey })
export const settled = () => client.payments.list({ status: ['SETTLED'] })

export async function charge(paymentMethodToken: string): Promise<number | undefined> {
  const payment: Payment = await client.payments.create({
    paymentMethodToken,
    orderId: 'order-17',
    currencyCode: 'EUR',
    amount: 5000,
  })
  // @ts-expect-error Misspelled.
  await client.payments.capture(payment.id, { amuont: 2000 })
  const captured = await client.payments.capture(payment.id, { amount: 2000 })
  return captured.processor?.amountCaptured
}

export async function exportSince(from: Date): Promise<string[]> {
  const ids: string[] = []
  for await (const row of client.payments.list({ status: ['SETTLED'], fromDate: from })) ids.push(row.id)
  return ids
}

export function outcomeOf(error: PaymentsError): string {
  if (error instanceof ApiError) return `${error.httpStatus} ${error.errorId ?? ''}`
  return error.outcome ?? error.code
}

export function refunded(rawBody: string, headers: Record<string, string>, secret: string): string | undefined {
  const event = verify(rawBody, headers, secret)
  return event.eventType === 'PAYMENT.REFUND' ? event.payment.id : undefined
}

export const signed = webhooks.sign('{}', sandbox.webhooks.secret)
export const parsed: Payment = PaymentSchema.parse({ id: 'pay_1' })
export const storeFunctions = [createPostgresStore, createRedisStore, createSqliteStore]
