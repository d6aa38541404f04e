import * as z from 'zod/mini'
import { paymentStatuses } from '../../../core/helpers/payment-facts.js'
import { isObject } from '../../../core/internal/objects.js'
import type { DisputeStatusEvent } from '../../../core/schemas/event.js'
import type { ExternalPayment } from '../../../core/schemas/external-payment.js'
import {
  ClientSessionSchema,
  DisputeStatusEventSchema,
  ExternalPaymentSchema,
  LoyaltyTransactionSchema,
  PaymentInstrumentSchema,
  PaymentSchema,
  PaymentV21Schema,
} from '../../../core/schemas/index.js'
import type { KnownPaymentStatus, Payment, Processor, Transaction } from '../../../core/schemas/payment.js'
import type { PaymentInstrument } from '../../../core/schemas/payment-instrument.js'
import type { PaymentMethod } from '../../../core/schemas/payment-method.js'
import { isTime } from '../internal/clock.js'
import { scenarioNames } from '../internal/scenarios.js'
import { dateTime, jsonOf, type RowShape, rowOf, type Schema } from '../internal/schema.js'
import { isWebAddress } from '../internal/web-address.js'

/** A status that payments can have in the sandbox. */
export type Status = Exclude<KnownPaymentStatus, 'PARTIALLY_SETTLED'>

export const statuses = paymentStatuses.filter((status): status is Status => status !== 'PARTIALLY_SETTLED')

/** A payment in the format of API version `2021-09-27`. The fields that the sandbox always sets are required. */
export interface StoredPayment extends Payment {
  status: Status
  orderId: string
  currencyCode: string
  amount: number
  paymentMethod: PaymentMethod & { paymentMethodToken: string }
  processor: Required<Processor>
  transactions: StoredTransaction[]
}

export interface StoredTransaction extends Transaction {
  amount: number
}

/** A status of a payment, and the time at which the payment changed to it. */
export interface StatusChange {
  readonly status: Status
  /** Time of the change on the sandbox's clock, ISO 8601 in UTC. */
  readonly at: string
}

/** One attempt to deliver a webhook. */
export interface Delivery {
  readonly id: string
  readonly eventType: string
  /** The subscriber's URL, or `function`. */
  readonly to: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  /** Time of sending, as ISO 8601 in UTC. */
  readonly at: string
  /** Status of the subscriber's response. Absent until a response arrives. */
  readonly status?: number
  /**
   * The first 64 KiB of the response's body. Absent if the body is empty. The oldest bodies are removed if all bodies
   * together have more than 50 million characters.
   */
  readonly responseBody?: string
  /** The reason that no response arrived. */
  readonly error?: string
  /** The signature headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body that was sent. */
  readonly body: string
}

const text = z.string()
const milliseconds = z.number().check(z.refine(isTime, 'must be a time in milliseconds'))
const scenario = z.enum(scenarioNames, 'must be the name of a scenario')
const status = z.enum(statuses, 'must be a status of a payment in the sandbox')

/** The schema of a stored resource. Requires fields that are optional in the service's own schema. */
const stored = <T, Stored extends T = T>(schema: Schema<T>, required: { readonly [Name in keyof T]?: Schema }) =>
  z.pipe(schema as Schema, z.looseObject(required as Record<string, Schema>)) as unknown as Schema<Stored>

export const statusChange = rowOf<StatusChange>({ status, at: dateTime })

export const deliveryShape: RowShape<Delivery> = {
  id: text,
  at: dateTime,
  eventType: text,
  to: text.check(z.refine((to) => to === 'function' || isWebAddress(to), 'must be a URL or "function"')),
  attempt: z.int(),
  headers: z.record(text, text),
  body: jsonOf(isObject, 'must be a JSON object'),
  status: z.optional(z.int()),
  responseBody: z.optional(text),
  error: z.optional(text),
}

/** A payment, and the internal state that responses do not contain. */
export const paymentRecord = z.object({
  payment: stored<Payment, StoredPayment>(PaymentSchema, {
    id: text,
    status,
    orderId: text,
    currencyCode: text,
    amount: z.int(),
    paymentMethod: z.looseObject({ paymentMethodToken: text }),
    processor: z.looseObject({
      name: text,
      processorMerchantId: text,
      amountCaptured: z.int(),
      amountRefunded: z.int(),
    }),
    transactions: z.array(z.looseObject({ amount: z.int() })),
  }),
  scenario,
  /** API version of the request that created the payment. */
  apiVersion: text,
  createdAt: milliseconds,
  /** The payment's statuses, oldest first. Absent in snapshots of earlier releases. */
  history: z._default(z.array(statusChange), []),
  /** Whether further captures are rejected, because a capture was final or the full amount was captured. */
  isCaptureClosed: z.optional(z.boolean()),
  /** The id of the customer for whom the payment method is saved when the payment is authorized. */
  vaultFor: z.optional(text),
  /** Token of the saved payment method that this payment charged or saved. */
  vaultedToken: z.optional(text),
  resumeToken: z.optional(text),
})

/** The rows of all tables except the payments, in the store and in snapshots. */
export const tableRows = {
  /** The session fields from the request. `amount` is present only if it overrides the calculated amount. */
  sessions: z.object({ clientToken: text, expiresAt: milliseconds, session: ClientSessionSchema }),
  singleUseTokens: z.object({ scenario, clientToken: z.optional(text), isUsed: z.optional(z.boolean()) }),
  /** `source` is the token from which the payment method was saved. */
  instruments: z.object({
    instrument: stored<PaymentInstrument>(PaymentInstrumentSchema, { token: text, customerId: text }),
    scenario,
    source: text,
  }),
  externalPayments: stored<ExternalPayment>(ExternalPaymentSchema, { paymentId: text }),
  loyaltyTransactions: LoyaltyTransactionSchema,
  /** The points of each customer, by `balanceKey`. */
  loyaltyBalances: z.int(),
  /** The events of each dispute, oldest first. */
  disputes: z
    .array(
      stored<DisputeStatusEvent>(DisputeStatusEventSchema, { paymentId: text, processorDisputeId: text, status: text }),
    )
    .check(z.minLength(1, 'must not be empty')),
  /** For each operation, path and idempotency key: the body of the first request, and its response. */
  idempotency: z.object({
    request: text,
    response: stored<object, { id: string }>(z.union([PaymentSchema, PaymentV21Schema]), { id: text } as object),
  }),
}

export type PaymentRecord = z.output<typeof paymentRecord>
export type Rows = { readonly [Name in keyof typeof tableRows]: z.output<(typeof tableRows)[Name]> }
