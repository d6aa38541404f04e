import * as z from 'zod/mini'
import { isObject } from '../../internal/objects.js'
import {
  ClientSessionSchema,
  DisputeStatusEventSchema,
  ExternalPaymentSchema,
  LoyaltyTransactionSchema,
  PaymentInstrumentSchema,
  PaymentSchema,
} from '../../schemas/index.js'
import { isTime } from '../internal/clock.js'
import { scenarioNames } from '../internal/scenarios.js'
import type { Schema } from '../internal/schema.js'
import { isWebAddress } from '../internal/web-address.js'
import { statuses } from './records.js'
import { ownerOf, type SandboxSnapshot, type Tables } from './store.js'

const text = z.string()
const time = z.number().check(z.refine(isTime, 'must be a time in milliseconds'))
const scenario = z.enum(scenarioNames, 'must be the name of a scenario')
const status = z.enum(statuses, 'must be a status of a payment in the sandbox')

/** Requires fields that the service's own schema leaves optional. */
const requiring = (schema: Schema, fields: Record<string, Schema>) => z.pipe(schema, z.looseObject(fields))

const payment = requiring(PaymentSchema, {
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
})

const byKey = (row: Schema, key: z.ZodMiniType<string> = text) => z.array(z.tuple([key, row]))

/** The rows of each table in a snapshot. A table without a schema is a compile error. */
const tables: { readonly [Name in keyof Tables]: z.ZodMiniType<unknown[]> } = {
  payments: z.array(
    z.object({
      payment,
      scenario,
      apiVersion: text,
      createdAt: time,
      history: z.optional(z.array(z.object({ status, at: text }))),
      isCaptureClosed: z.optional(z.boolean()),
      vaultFor: z.optional(text),
      vaultedToken: z.optional(text),
      resumeToken: z.optional(text),
    }),
  ),
  sessions: byKey(z.object({ clientToken: text, expiresAt: time, session: ClientSessionSchema })),
  singleUseTokens: byKey(z.object({ scenario, clientToken: z.optional(text), isUsed: z.optional(z.boolean()) })),
  instruments: byKey(
    z.object({
      instrument: requiring(PaymentInstrumentSchema, { token: text, customerId: text }),
      scenario,
      source: text,
    }),
  ),
  instrumentsOf: byKey(z.array(text)),
  externalPayments: byKey(requiring(ExternalPaymentSchema, { paymentId: text })),
  loyaltyTransactions: byKey(LoyaltyTransactionSchema),
  loyaltyBalances: byKey(
    z.int(),
    text.check(z.refine(isBalanceKey, 'must be a JSON array of a connection and a customer')),
  ),
  disputes: byKey(
    z
      .array(requiring(DisputeStatusEventSchema, { paymentId: text, processorDisputeId: text, status: text }))
      .check(z.minLength(1, 'must not be empty')),
  ),
  idempotency: byKey(z.object({ request: text, response: z.looseObject({ id: text }) })),
}

/** A snapshot of a sandbox, as `snapshot()` returns it. Parsing removes `null` from the service's objects. */
export const SnapshotSchema: Schema<SandboxSnapshot> = z.object({
  time: z.number(),
  drawn: z.int().check(z.gte(0, 'must be at least 0')),
  ledger: z.array(
    z.object({
      operation: text,
      resourceId: text,
      amount: z.optional(z.number()),
      idempotencyKey: z.optional(text),
      at: text,
    }),
  ),
  store: z.object(tables),
  deliveries: z.optional(
    z.array(
      z.object({
        id: text,
        eventType: text,
        to: text.check(z.refine((to) => to === 'function' || isWebAddress(to), 'must be a URL or "function"')),
        attempt: z.int(),
        at: text,
        status: z.optional(z.int()),
        responseBody: z.optional(text),
        error: z.optional(text),
        headers: z.record(text, text),
        body: text.check(z.refine(isJsonObject, 'must be a JSON object')),
      }),
    ),
  ),
})

function isBalanceKey(key: string): boolean {
  try {
    return ownerOf(key).every((part) => typeof part === 'string') && ownerOf(key).length === 2
  } catch {
    return false
  }
}

function isJsonObject(json: string): boolean {
  try {
    return isObject(JSON.parse(json))
  } catch {
    return false
  }
}
