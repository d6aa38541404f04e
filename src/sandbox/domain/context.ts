import type { AnyOperation, PathParams } from '../../contract/operation.js'
import type { Cart } from '../../contract/version.js'
import type { TypeOf } from '../../schemas/schema.js'
import type { VirtualClock } from '../internal/clock.js'
import type { Feed } from '../internal/feed.js'
import type { SandboxSettings } from '../internal/options.js'
import type { Random } from '../internal/random.js'
import type { Ledger, Store } from '../store/store.js'
import type { Emit } from './events.js'
import type { Payments } from './payments.js'
import type { Sessions } from './sessions.js'
import type { Vault } from './vault.js'

export interface Context {
  readonly settings: SandboxSettings
  readonly clock: VirtualClock
  readonly random: Random
  readonly feed: Feed
  readonly store: Store
  readonly ledger: Ledger
  readonly payments: Payments
  readonly sessions: Sessions
  readonly vault: Vault
  readonly emit: Emit
}

/** An authorized and validated request. */
export interface OperationCall<O extends AnyOperation = AnyOperation> {
  readonly params: PathParams<O['path']>
  readonly query: TypeOf<NonNullable<O['query']>['schema']>
  /** The body, converted to the format of API version `2021-09-27`. */
  readonly body: TypeOf<NonNullable<O['body']>['order']>
  /** The body in the format of the request's API version. */
  readonly originalBody: unknown
  /** API version of the request, for example `2.1`. */
  readonly apiVersion: string
  readonly cart: Cart
  /** Adds an effect of this request to the ledger. */
  readonly recordEffect: (resourceId: string, amount?: number) => void
}

/** Performs one operation. Returns the resource in the format of version `2021-09-27`, or throws a `ServiceError`. */
export type Handler<O extends AnyOperation = AnyOperation> = (call: OperationCall<O>, context: Context) => object

export type Handlers<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends AnyOperation ? Handler<Tree[Name]> : Handlers<Tree[Name]>
}
