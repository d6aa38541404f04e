import type { PaymentCore } from '../schemas/payment.js'
import type { Schema } from '../schemas/schema.js'
import type { Cart, InVersion } from './version.js'

/** A permission that an API key can have. Specification: Authentication. */
export type Scope =
  | 'client_tokens:write'
  | 'third_party:webhook_trigger'
  | 'transactions:authorize'
  | 'transactions:cancel'
  | 'transactions:capture'
  | 'transactions:retrieve'
  | 'transactions:refund'
  | 'payment_instrument:read'
  | 'payment_instrument:write'
  | 'observability-payments:write'
  | 'loyalty-transactions:write'
  | 'loyalty-transactions:read'

export const scopes = /* @__PURE__ */ Object.keys({
  'client_tokens:write': true,
  'third_party:webhook_trigger': true,
  'transactions:authorize': true,
  'transactions:cancel': true,
  'transactions:capture': true,
  'transactions:retrieve': true,
  'transactions:refund': true,
  'payment_instrument:read': true,
  'payment_instrument:write': true,
  'observability-payments:write': true,
  'loyalty-transactions:write': true,
  'loyalty-transactions:read': true,
} satisfies Record<Scope, true>) as Scope[]

/**
 * Whether an operation may be retried after an attempt that may have taken effect:
 *
 * - `safe`: yes, because the operation only reads.
 * - `keyed`: yes, with the same idempotency key.
 * - `repeatable`: yes, because a second request has no further effect.
 * - `once`: no.
 */
export type OperationClass = 'safe' | 'keyed' | 'repeatable' | 'once'

/** Two types or values, one for each cart format of the API. */
type PerCart = Record<Cart, unknown>

/** One endpoint, described as data. `Body` and `Result` each map a cart format to a type. */
export interface Operation<
  Path extends string = string,
  Query = unknown,
  Body extends PerCart = PerCart,
  Result extends PerCart = PerCart,
> {
  /** Name of the client's method, for example `payments.capture`. */
  readonly name: string
  /** One-line summary for the API reference and the OpenAPI documents. Omitted from the published code. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path relative to the base URL. `:name` is a parameter. */
  readonly path: Path
  /** The scope that the API key needs, if the specification names one. */
  readonly scope?: Scope
  readonly class: OperationClass
  /** Returns true if a request with this body must not be retried, regardless of `class`. */
  readonly onceIf?: (body: unknown) => boolean
  /** Whether callers can pass `resend: true` to allow retries. */
  readonly resendable?: true
  /** The operation that re-fetches the payment by its `id` if the response was lost. */
  readonly refetch?: AnyOperation
  /** Compares the re-fetched payment with the request. Returns false if the request cannot have taken effect. */
  isConsistent?(payment: PaymentCore, body: Body[keyof Body] | undefined): boolean
  /** Advice in error messages: how to find out whether the operation took effect. @default retrieve the payment */
  readonly lookup?: string
  /** Whether the documentation marks the endpoint as beta. Omitted from the published code. */
  readonly beta?: true
  readonly query?: {
    readonly schema: Schema<Query>
    /** The service's name for each query parameter. */
    readonly names: { readonly [K in keyof Query]-?: string }
    /** The known values of query parameters. Other values are sent too, but logged as probable misspellings. */
    readonly knownValues?: { readonly [K in keyof Query]?: readonly string[] }
  }
  readonly body?: SchemaPerCart<Body>
  readonly bodyOptional?: true
  /** The body to send if the caller omits it. */
  readonly bodyDefault?: object
  /** Whether an empty response is a success. */
  readonly responseOptional?: true
  readonly response: SchemaPerCart<Result>
}

type SchemaPerCart<Types> = { readonly [S in keyof Types]: Schema<Types[S]> }

// biome-ignore lint/suspicious/noExplicitAny: accepts operations of all types.
export type AnyOperation = Operation<string, any, Record<Cart, any>, Record<Cart, any>>

export type InputOf<Op extends AnyOperation, V extends string> =
  Op extends Operation<infer Path, infer Query, infer Body, PerCart>
    ? { readonly params?: PathParams<Path>; readonly query?: Query | undefined; readonly body?: InVersion<V, Body> }
    : never

export type ResultOf<Op extends AnyOperation, V extends string> =
  Op extends Operation<string, unknown, PerCart, infer Result> ? InVersion<V, Result> : never

/** The parameters of a path, for example `{ id: string }` for `/payments/:id/capture`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? { [K in Name]: string } & PathParams<Tail>
    : { [K in Rest]: string }
  : unknown

export function defineOperation<
  const Path extends string,
  Query,
  Body extends PerCart = PerCart,
  Result extends PerCart = PerCart,
>(operation: Operation<Path, Query, Body, Result>): Operation<Path, Query, Body, Result> {
  return operation
}

export function bothCarts<T>(schema: Schema<T>): Record<Cart, Schema<T>> {
  return { order: schema, lineItems: schema }
}

export function namesOf({ name, method, path }: AnyOperation) {
  return { operation: name, method, path }
}

/** An operation, and the values of the parameters in its path. */
interface Target {
  readonly operation: Pick<Operation, 'path'>
  readonly params: Readonly<Record<string, string>>
}

/** Returns the ID of the payment that a request reads or changes. */
export function paymentIn({ operation, params }: Target): string | undefined {
  const [, name = ''] = /\/payments\/:(\w+)/.exec(operation.path) ?? []
  return params[name]
}
