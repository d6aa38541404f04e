import type { Changes, Schema, Zod } from '../schemas/schema.js'
import type { ByShape } from './version.js'

/** What an API key must be allowed to do. Specification: Authentication. */
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
 * What may be sent again when nobody knows whether the service acted:
 * `safe` reads, `keyed` repeats under the same idempotency key, `repeatable` has the same effect once or twice,
 * `once` is never repeated.
 */
export type OperationClass = 'safe' | 'keyed' | 'repeatable' | 'once'

/** One endpoint of the service, as data. */
export interface Operation<
  Path extends string = string,
  Query = unknown,
  Bodies extends ByShape<Zod<unknown>, Zod<unknown>> = ByShape<Zod<unknown>, Zod<unknown>>,
  Results extends ByShape<Schema<unknown>, Schema<unknown>> = ByShape<Schema<unknown>, Schema<unknown>>,
> {
  /** Where it hangs on the client, e.g. `payments.capture`. */
  readonly name: string
  /** One line for the reference. */
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base URL; `:name` is a parameter. */
  readonly path: Path
  /** The parameter of the path that names a payment. */
  readonly paymentParam?: string
  /** What the API key needs; absent where the specification does not say. */
  readonly scope?: Scope
  readonly class: OperationClass
  /** Bodies with which it is `once`, whatever its class. */
  readonly onceIf?: (body: unknown) => boolean
  /** Whether a caller may opt in to sending it again (`resend: true`). */
  readonly resendable?: true
  /** Reads, by the parameter `id`, what this one answers with: an answer that was lost can be had that way. */
  readonly readBack?: AnyOperation
  /** Fields in which that must agree with the body, where both have them. Else it is what another call made. */
  readonly identifiedBy?: readonly string[]
  /** How a caller finds out whether it took effect. @default by reading the payment */
  readonly lookup?: string
  readonly beta?: true
  readonly query?: {
    readonly schema: Schema<Query>
    /** The service's spelling of each parameter. */
    readonly names: { readonly [K in keyof Query]-?: string }
  }
  readonly body?: Bodies
  /** Whether the body may be left out. */
  readonly bodyOptional?: true
  /** What is sent when the body is left out. */
  readonly bodyDefault?: object
  /** Whether an empty answer is a success. */
  readonly responseOptional?: true
  readonly response: Results
}

// biome-ignore lint/suspicious/noExplicitAny: stands for every operation, whatever its types.
export type AnyOperation = Operation<string, any, any, any>

/** The parameters that a path names: `{ id: string }` for `/payments/:id/capture`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? { [K in Name]: string } & PathParams<Tail>
    : { [K in Rest]: string }
  : unknown

export function defineOperation<
  const Path extends string,
  Query,
  Bodies extends ByShape<Zod<unknown>, Zod<unknown>>,
  Results extends ByShape<Schema<unknown>, Schema<unknown>>,
>(operation: Operation<Path, Query, Bodies, Results>): Operation<Path, Query, Bodies, Results> {
  return operation
}

/** A body that is the same in every version. */
export function body<T>(schema: Schema<T>): ByShape<Zod<T>, Zod<T>> {
  return bodies(schema, schema)
}

/** A body that is written one way in `2021-09-27`, another in `2.1`. */
export function bodies<A, B>(old: Schema<A>, current: Schema<B>): ByShape<Zod<A>, Zod<B>> {
  return lazily(
    () => old.sent,
    () => current.sent,
  )
}

/** A body that changes what is there. */
export function changes<A, B>(old: Schema<A>, current: Schema<B>): ByShape<Zod<Changes<A>>, Zod<Changes<B>>> {
  return lazily(
    () => old.changed,
    () => current.changed,
  )
}

/** An answer that is the same in every version. */
export function answer<T>(schema: Schema<T>): ByShape<Schema<T>, Schema<T>> {
  return answers(schema, schema)
}

/** An answer that is written one way in `2021-09-27`, another in `2.1`. */
export function answers<A, B>(old: Schema<A>, current: Schema<B>): ByShape<Schema<A>, Schema<B>> {
  return { '2021-09-27': old, '2.1': current }
}

function lazily<A, B>(old: () => A, current: () => B): ByShape<A, B> {
  return {
    get '2021-09-27'() {
      return old()
    },
    get '2.1'() {
      return current()
    },
  }
}

/** How errors, and functions of the caller's, are told which operation is meant. */
export function namesOf({ name, method, path }: AnyOperation) {
  return { operation: name, method, path }
}
