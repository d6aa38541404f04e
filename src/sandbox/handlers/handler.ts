import type * as z from 'zod/mini'
import type { AnyOperation, PathParams } from '../../contract/operation.js'
import type { Shape } from '../../contract/version.js'
import type { Desk } from '../domain/context.js'

/** A request that was routed, admitted and checked. Its body is in the shape of version 2021-09-27. */
export interface Call<O extends AnyOperation> {
  readonly params: PathParams<O['path']>
  readonly query: QueryOf<O>
  readonly body: BodyOf<O>
  /** The shape that the request was written in, and that the answer will have. */
  readonly shape: Shape
  /** The body in that shape. */
  readonly written: unknown
  readonly happened: Happened
}

/** Note in the ledger that something was done. */
export type Happened = (resourceId: string, amount?: number) => void

/** The service's side of one operation. It answers in the shape of version 2021-09-27, or throws a `Refusal`. */
export type Handler<O extends AnyOperation> = (call: Call<O>, desk: Desk) => object

/** A handler, whatever its operation. */
export type AnyHandler = (call: AnyCall, desk: Desk) => object

interface AnyCall extends Omit<Call<AnyOperation>, 'body'> {
  readonly body: object
}

/** A handler for every operation of the contract: a missing one does not compile. */
export type Handlers<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends AnyOperation ? Handler<Tree[Name]> : Handlers<Tree[Name]>
}

type QueryOf<O extends AnyOperation> = z.output<NonNullable<O['query']>['schema']['sent']>

type BodyOf<O extends AnyOperation> = z.output<NonNullable<O['body']>['2021-09-27']['sent']>
