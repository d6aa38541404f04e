import type { PaymentCore } from '../schemas/payment.js'
import type { Schema } from '../schemas/schema.js'
import type { InVersion, Shape } from './version.js'

/** A permission of an API key. Specification: Authentication. */
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

/**
 * Whether an operation may be retried after an ambiguous failure: `safe` reads, `keyed` retries with the same
 * idempotency key, `repeatable` has the same effect once or twice, `once` is never retried.
 */
export type OperationClass = 'safe' | 'keyed' | 'repeatable' | 'once'

/** One type or value for each shape of the API. */
type PerShape = Record<Shape, unknown>

/** One endpoint of the service, as data. `Body` and `Result` hold one type for each shape. */
export interface Operation<
  Path extends string = string,
  Query = unknown,
  Body extends PerShape = PerShape,
  Result extends PerShape = PerShape,
> {
  /** The method of the client, for example `payments.capture`. */
  readonly name: string
  /** One line for the reference. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base URL; `:name` is a parameter. */
  readonly path: Path
  /** The path parameter that identifies a payment. */
  readonly paymentParam?: string
  /** The permission that the API key needs; absent if the specification names none. */
  readonly scope?: Scope
  readonly class: OperationClass
  /** Returns true for a body that makes the operation `once`. */
  readonly onceIf?: (body: unknown) => boolean
  /** Whether the caller may allow retries with `resend: true`. */
  readonly resendable?: true
  /** Re-fetches, by its parameter `id`, the payment that this operation changes: for a response that was lost. */
  readonly refetch?: AnyOperation
  /** Returns false if a re-fetched payment shows that a request with this body did not take effect. */
  isConsistent?(payment: PaymentCore, body: Body[keyof Body] | undefined): boolean
  /** How a caller finds out whether the operation took effect. @default by getting the payment */
  readonly lookup?: string
  readonly beta?: true
  readonly query?: {
    readonly schema: Schema<Query>
    /** The service's name of each parameter. */
    readonly names: { readonly [K in keyof Query]-?: string }
    /** Parameters whose other values are sent, but logged, because they are probably misspelt. */
    readonly knownValues?: { readonly [K in keyof Query]?: readonly string[] }
  }
  readonly body?: SchemaPerShape<Body>
  /** Whether the body may be omitted. */
  readonly bodyOptional?: true
  /** The body to send if the caller omits it. */
  readonly bodyDefault?: object
  /** Whether an empty response is a success. */
  readonly responseOptional?: true
  readonly response: SchemaPerShape<Result>
}

type SchemaPerShape<Types> = { readonly [S in keyof Types]: Schema<Types[S]> }

// biome-ignore lint/suspicious/noExplicitAny: stands for every operation, with any types.
export type AnyOperation = Operation<string, any, Record<Shape, any>, Record<Shape, any>>

/** The arguments of an operation in version `V`. */
export type InputOf<Op extends AnyOperation, V extends string> =
  Op extends Operation<infer Path, infer Query, infer Body, PerShape>
    ? { readonly params?: PathParams<Path>; readonly query?: Query | undefined; readonly body?: InVersion<V, Body> }
    : never

/** The result of an operation in version `V`. */
export type ResultOf<Op extends AnyOperation, V extends string> =
  Op extends Operation<string, unknown, PerShape, infer Result> ? InVersion<V, Result> : never

/** The parameters of a path: `{ id: string }` for `/payments/:id/capture`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? { [K in Name]: string } & PathParams<Tail>
    : { [K in Rest]: string }
  : unknown

/** Infers the types of an operation from its schemas. */
export function defineOperation<
  const Path extends string,
  Query,
  Body extends PerShape = PerShape,
  Result extends PerShape = PerShape,
>(operation: Operation<Path, Query, Body, Result>): Operation<Path, Query, Body, Result> {
  return operation
}

/** Uses the same schema for both shapes. */
export function bothShapes<T>(schema: Schema<T>): Record<Shape, Schema<T>> {
  return { '2021-09-27': schema, '2.1': schema }
}

/** Names an operation in errors, hooks and log lines. */
export function namesOf({ name, method, path }: AnyOperation) {
  return { operation: name, method, path }
}
