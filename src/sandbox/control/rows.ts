import * as z from 'zod/mini'
import { cartOf } from '../../contract/version.js'
import type { ClientSession } from '../../schemas/client-session.js'
import type { DisputeStatusEvent } from '../../schemas/event.js'
import type { LoyaltyTransaction } from '../../schemas/loyalty.js'
import type { EventPayment } from '../../schemas/payment.js'
import { fromOrder } from '../domain/fields.js'
import { custom, type Schema } from '../internal/schema.js'
import { type Fault, type FaultQueue, faultShape } from '../service/faults.js'
import type { RequestRecord } from '../service/request-log.js'
import { type Delivery, type PaymentRecord, type StatusChange, statuses } from '../store/records.js'
import { ownerOf, type Store } from '../store/store.js'
import { dateTime, hint, isObject, string } from './schemas.js'

/** A schema for every field of `T`, including the optional ones. A missing field is a compile error. */
export type RowShape<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name]
    ? z.ZodMiniOptional<Schema<Exclude<T[Name], undefined>>>
    : Schema<T[Name]>
}

export const rowOf = <T extends object>(shape: RowShape<T>) => z.object(shape) as unknown as Schema<T>

export const resource = <T extends object>(description: string) =>
  custom<T>(isObject, 'must be an object', { type: 'object', description, additionalProperties: true })
const stringMap = z.record(string, string)

/** A payment in the control API. */
export interface PaymentRow {
  readonly payment: EventPayment
  readonly history: readonly StatusChange[]
}

/** A payment with everything that happened to it. */
export interface PaymentDetails extends PaymentRow {
  readonly requests: readonly RequestRecord[]
  readonly deliveries: readonly DeliveryRow[]
  /** Every event of the payment's disputes, oldest first. */
  readonly disputes: readonly DisputeStatusEvent[]
}

/** A delivery in the control API. */
export interface DeliveryRow extends Omit<Delivery, 'to' | 'attempt'> {
  /** The URL of the subscriber, or `function`. */
  readonly url: string
}

export interface SessionRow {
  readonly clientToken: string
  readonly expiresAt: string
  readonly session: ClientSession
}

export interface LoyaltyRow {
  readonly connectionId: string
  readonly customerId: string
  readonly balance: number
  readonly transactions: readonly LoyaltyTransaction[]
}

/** A fault in the control API. `times` is the number of requests that it will still affect. */
export interface FaultRow extends Omit<Fault, 'times' | 'body'> {
  readonly id: string
  readonly times: number | 'Infinity'
  readonly body?: string | object
}

export interface SubscriptionRow {
  readonly url: string
  readonly hash: string
}

export const paymentFields: RowShape<PaymentRow> = {
  payment: resource('The payment, as the service returns it in the API version of the request that created it.'),
  history: z.array(rowOf<StatusChange>({ status: z.enum(statuses), at: dateTime })),
}
export const request = rowOf<RequestRecord>({
  id: string,
  at: dateTime,
  operation: z.optional(hint(faultShape.operation, 'Absent if the service has no such endpoint.')),
  method: string,
  path: string,
  requestHeaders: stringMap,
  requestBody: string,
  status: z.optional(hint(z.int(), 'Absent if a fault prevented the response.')),
  responseBody: string,
  durationMs: z.number(),
  userAgent: z.optional(string),
})
export const delivery = rowOf<DeliveryRow>({
  id: string,
  at: dateTime,
  eventType: string,
  url: hint(string, 'The URL of the subscriber, or `function`.'),
  headers: stringMap,
  body: string,
  status: z.optional(z.int()),
  responseBody: z.optional(string),
  error: z.optional(string),
})
export const timesLeft = z.union([z.int(), z.literal('Infinity')])

export function paymentRow(record: PaymentRecord): PaymentRow {
  const { payment, apiVersion, history = [] } = record
  return { payment: fromOrder(cartOf(apiVersion), payment) as EventPayment, history }
}

export function deliveryRow({ to, attempt: _, ...delivery }: Delivery): DeliveryRow {
  return { ...delivery, url: to }
}

export function faultRow({ id, fault, left }: FaultQueue['queue'][number]): FaultRow {
  const { times: _, body, ...others } = fault
  const shownBody = typeof body === 'function' ? '[function]' : body
  return {
    id,
    ...others,
    ...(shownBody !== undefined && { body: shownBody }),
    times: left === Infinity ? 'Infinity' : left,
  }
}

export function loyaltyRow(key: string, balance: number, { loyaltyTransactions }: Store): LoyaltyRow {
  const [connectionId, customerId] = ownerOf(key)
  const isOwn = (each: LoyaltyTransaction) => each.connectionId === connectionId && each.customerId === customerId
  return { connectionId, customerId, balance, transactions: loyaltyTransactions.rows().filter(isOwn) }
}

export function disputesOf(paymentId: string, { disputes }: Store): DisputeStatusEvent[] {
  const own = disputes.rows().flatMap((events) => events.filter((event) => event.paymentId === paymentId))
  return own.sort((a, b) => Date.parse(a.receivedAt ?? '') - Date.parse(b.receivedAt ?? ''))
}
