import * as z from 'zod/mini'
import { cartOf } from '../../contract/version.js'
import { isObject } from '../../internal/objects.js'
import type { ClientSession } from '../../schemas/client-session.js'
import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import type { EventPayment } from '../../schemas/payment.js'
import { fromOrder } from '../domain/fields.js'
import { optional } from '../internal/options.js'
import { anyObject, custom, dateTime, hint, rowOf } from '../internal/schema.js'
import { type FaultQueue, faultShape } from '../service/faults.js'
import type { RequestRecord } from '../service/request-log.js'
import { type Delivery, deliveryShape, type PaymentRecord, statusChange } from '../store/records.js'
import { ownerOf, type Store } from '../store/store.js'

const string = z.string()

/** An object of the service's API, whose fields the control API does not describe. */
export const resource = <T extends object>(description: string) =>
  anyObject<T>({ description, additionalProperties: true })

export const faultBody = custom<string | object>(
  (value) => typeof value === 'string' || isObject(value),
  'must be a string or an object',
  { type: ['string', 'object'] },
)

export const paymentRow = z.object({
  payment: resource<EventPayment>(
    'The payment, as the service returns it in the API version of the request that created it.',
  ),
  history: z.array(statusChange),
})

export const requestRow = rowOf<RequestRecord>({
  id: string,
  at: dateTime,
  operation: z.optional(hint(faultShape.operation, 'Absent if the service has no such endpoint.')),
  method: string,
  path: string,
  requestHeaders: z.record(string, string),
  requestBody: string,
  status: z.optional(hint(z.int(), 'Absent if a fault prevented the response.')),
  responseBody: string,
  durationMs: z.number(),
  userAgent: z.optional(string),
})

const { to: _to, attempt: _attempt, ...deliveryFields } = deliveryShape

export const deliveryRow = z.object({
  ...deliveryFields,
  url: hint(string, 'The URL of the subscriber, or `function`.'),
})

export const paymentDetails = z.extend(paymentRow, {
  requests: z.array(requestRow),
  deliveries: z.array(deliveryRow),
  disputes: z.array(resource<DisputeStatusEvent>('A DISPUTE.STATUS event. A dispute has one for each change.')),
})

export const sessionRow = z.object({
  clientToken: string,
  expiresAt: dateTime,
  session: resource<ClientSession>('The session, as the service returns it in API version `2021-09-27`.'),
})

export const loyaltyRow = z.object({
  connectionId: string,
  customerId: string,
  balance: z.int(),
  transactions: z.array(resource<LoyaltyTransaction>('The redemption or refund.')),
})

export const faultRow = z.object({
  ...optional(faultShape),
  id: string,
  times: hint(z.union([z.int(), z.literal('Infinity')]), 'The number of requests that the fault will still affect.'),
  body: z.optional(hint(faultBody, 'The body, or `[function]`.')),
})

export const subscriptionRow = z.object({ url: hint(string, 'The URL, or `function`.'), hash: string })

export function toPaymentRow({ payment, apiVersion, history = [] }: PaymentRecord): z.output<typeof paymentRow> {
  return { payment: fromOrder(cartOf(apiVersion), payment) as EventPayment, history }
}

export function toDeliveryRow({ to, attempt: _, ...delivery }: Delivery): z.output<typeof deliveryRow> {
  return { ...delivery, url: to }
}

export function toFaultRow({ id, fault, left }: FaultQueue['queue'][number]): z.output<typeof faultRow> {
  const { times: _, body, ...others } = fault
  const shownBody = typeof body === 'function' ? '[function]' : body
  return {
    id,
    ...others,
    ...(shownBody !== undefined && { body: shownBody }),
    times: left === Infinity ? 'Infinity' : left,
  }
}

export function toLoyaltyRow(
  [key, balance]: [key: string, balance: number],
  { loyaltyTransactions }: Store,
): z.output<typeof loyaltyRow> {
  const { connectionId, customerId } = ownerOf(key)
  const isOwn = (each: LoyaltyTransaction) => each.connectionId === connectionId && each.customerId === customerId
  return { connectionId, customerId, balance, transactions: loyaltyTransactions.rows().filter(isOwn) }
}

/** Returns every event of the payment's disputes, oldest first. */
export function disputesOf(paymentId: string, { disputes }: Store): DisputeStatusEvent[] {
  const own = disputes.rows().flatMap((events) => events.filter((event) => event.paymentId === paymentId))
  return own.sort((a, b) => Date.parse(a.receivedAt ?? '') - Date.parse(b.receivedAt ?? ''))
}
