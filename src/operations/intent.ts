import * as z from 'zod'
import type { ApiVersion, TypeIn } from '../core/contract/version.js'
import { type CallFacts, RequestValidationError } from '../core/errors.js'
import type { Issue } from '../core/internal/issues.js'
import { anyValue, boolean, checkOptions, integer, optionsOf, text } from '../core/internal/validation.js'
import type { AuthorizeBody, CancelBody, PaymentCore, RefundBody } from '../core/schemas/payment.js'
import { serviceOf } from '../core/settings.js'
import { idempotencyKey } from '../core/transport/call-options.js'
import type { PreparedRequest } from '../core/transport/request.js'
import type { Transport } from '../core/transport/transport.js'
import { journaled } from './effects.js'
import type { JournalSettings } from './journal.js'
import type { JournaledOperation } from './record.js'
import { maxTextLength, type NewOperation } from './rules.js'

/** An operation to plan: a client method with its arguments. */
export type OperationIntent<V extends ApiVersion = '2021-09-27'> = {
  /** The idempotency key: 1 to 255 visible ASCII characters. It identifies the operation in later calls. */
  readonly key: string
  /** Further top-level fields of the body, as the client methods take them. */
  readonly extraBody?: Readonly<Record<string, unknown>>
} & (
  | {
      readonly operation: 'payments.create'
      readonly body: TypeIn<V, 'CreatePaymentBody'>
      /**
       * `payments.create` is retried for this many milliseconds after its first request. If `plan` is called again with
       * the same key, the first value applies. @default the journal's `resendFor`
       */
      readonly resendFor?: number
      /** Whether the order might have another open payment. @default false */
      readonly allowSecondPayment?: boolean
    }
  | { readonly operation: 'payments.authorize'; readonly id: string; readonly body: AuthorizeBody }
  | { readonly operation: 'payments.capture'; readonly id: string; readonly body?: TypeIn<V, 'CaptureBody'> }
  | { readonly operation: 'payments.cancel'; readonly id: string; readonly body?: CancelBody }
  | { readonly operation: 'payments.refund'; readonly id: string; readonly body?: RefundBody }
)

export const planFacts = { operation: 'operations.plan' }

interface CheckedIntent {
  key: string
  operation: JournaledOperation
  id?: string
  body?: unknown
  extraBody?: object
  resendFor?: number
  allowSecondPayment?: boolean
  /** Set only by `payments-client/orders`. See `Details.intention`. */
  intention?: string
}

const schema = optionsOf<CheckedIntent>(
  {
    key: idempotencyKey,
    operation: z.enum(Object.keys(journaled) as JournaledOperation[]),
    id: text,
    body: anyValue,
    extraBody: anyValue,
    resendFor: integer(0),
    allowSecondPayment: boolean,
    intention: text,
  },
  ['key', 'operation'],
)

/**
 * Checks all fields of an intent except the body, which the transport checks.
 *
 * @throws {RequestValidationError} A field is unknown, invalid or missing.
 */
export function checkIntent(given: unknown): CheckedIntent {
  const { values, issues } = checkOptions(given, schema, { noun: 'field' })
  const isCreate = values.operation === 'payments.create'
  const reject = (name: string, message: string) => issues.push({ path: [name], code: 'not_allowed', message })
  if (isCreate && values.id !== undefined) reject('id', 'is not a field of payments.create')
  for (const name of ['resendFor', 'allowSecondPayment'] as const) {
    if (!isCreate && values[name] !== undefined) reject(name, 'is only for payments.create')
  }
  if (!isCreate && values.id === undefined && issues.length === 0) {
    issues.push({ path: ['id'], code: 'missing', message: 'must be the id of the payment' })
  }
  if (issues.length > 0) throw new RequestValidationError(issues, planFacts)
  return values as CheckedIntent
}

const defaultResendForMs = 60_000

interface NewValues {
  readonly key: string
  readonly fingerprint: string
  readonly resendFor?: number | undefined
  readonly allowSecondPayment?: boolean | undefined
  readonly intention?: string | undefined
}

/** Creates the fields of an operation that is not yet stored. */
export function newOperation(
  { storeBodies, keyLifetime, clockOffset, resendFor: usualResendFor }: JournalSettings,
  { settings }: Transport,
  request: PreparedRequest,
  { key, fingerprint, resendFor = usualResendFor, allowSecondPayment, intention }: NewValues,
  facts: () => Partial<CallFacts>,
): NewOperation {
  const { operation, params, body, bodyValue } = request
  const { id } = params
  const { amount, currencyCode, orderId, paymentMethod } = Object(bodyValue) as PaymentCore
  const isBodyOmitted = !storeBodies && body !== undefined
  const isCreate = id === undefined
  const isMerchantInitiated = isCreate && merchantInitiatedTypes.includes(String(paymentMethod?.paymentType))
  const issues = [...identifierIssues('id', id), ...identifierIssues('orderId', isCreate ? orderId : undefined)]
  if (issues.length > 0) throw new RequestValidationError(issues, facts())
  return {
    key,
    operation: operation.name as JournaledOperation,
    resource: !isCreate ? `payment:${id}` : orderId === undefined ? `key:${key}` : `order:${orderId}`,
    id,
    orderId: isCreate ? orderId : undefined,
    body: isBodyOmitted ? undefined : body,
    fingerprint,
    resendFor: resendFor ?? (isMerchantInitiated ? keyLifetime : defaultResendForMs),
    baseUrl: serviceOf(settings),
    apiVersion: settings.apiVersion,
    details: {
      amount,
      currency: currencyCode,
      clockOffset,
      intention,
      ...(isBodyOmitted && { isBodyOmitted }),
      ...(isMerchantInitiated && { isMerchantInitiated }),
      ...(allowSecondPayment && { allowSecondPayment }),
    },
  }
}

/** The types of payments that the merchant starts, without the customer. */
const merchantInitiatedTypes = ['SUBSCRIPTION', 'UNSCHEDULED']

/** Returns an issue if a database cannot store an identifier. */
function identifierIssues(name: string, value: string | undefined): Issue[] {
  if (value === undefined) return []
  const message =
    value.length > maxTextLength
      ? `must not be longer than ${maxTextLength} characters, because a journal records it`
      : value.includes('\0')
        ? 'must not contain U+0000, because a journal records it'
        : undefined
  return message === undefined ? [] : [{ path: [name], code: 'invalid_value', message }]
}
