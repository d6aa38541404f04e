import type * as z from 'zod'
import type { AnyOperation, PathParams } from '../../../core/contract/operation.js'
import type { Cart } from '../../../core/contract/version.js'
import { VirtualClock } from '../internal/clock.js'
import { Feed } from '../internal/feed.js'
import type { SandboxSettings } from '../internal/options.js'
import { Random } from '../internal/random.js'
import { createStore, Ledger } from '../store/store.js'
import { type Emit, Payments } from './payments.js'
import { Sessions } from './sessions.js'
import { Vault } from './vault.js'

/** The state of the service, and its domain logic. */
export type Context = Readonly<ReturnType<typeof createContext>>

/** @param emit Receives the webhook events. */
export function createContext(settings: SandboxSettings, seed: number | string, emit: Emit) {
  const random = new Random(seed)
  const clock: VirtualClock = new VirtualClock(settings.now, () =>
    feed.notify('clock', { now: clock.now().toISOString() }),
  )
  const feed = new Feed(clock)
  const store = createStore(feed.notify)
  const vault = new Vault(store, clock, random)
  const payments = new Payments(store.payments, clock, emit, vault, settings, feed.notify)
  const sessions = new Sessions(store.sessions, clock, random)
  return { settings, clock, random, feed, store, ledger: new Ledger(clock), payments, sessions, vault, emit }
}

/** An authorized and validated request. */
export interface OperationCall<O extends AnyOperation = AnyOperation> {
  readonly params: PathParams<O['path']>
  readonly query: z.output<NonNullable<O['query']>['schema']>
  /** The body, converted to the format of API version `2021-09-27`. */
  readonly body: z.output<NonNullable<O['body']>['order']>
  /** The body in the format of the request's API version. */
  readonly originalBody: unknown
  /** API version of the request, for example `2.1`. */
  readonly apiVersion: string
  readonly cart: Cart
  /** Adds an entry to the ledger for a change that this request made. */
  readonly recordEffect: (resourceId: string, amount?: number) => void
}

/** Performs one operation. Returns the resource in the format of version `2021-09-27`, or throws a `ServiceError`. */
export type Handler<O extends AnyOperation = AnyOperation> = (call: OperationCall<O>, context: Context) => object

export type Handlers<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends AnyOperation ? Handler<Tree[Name]> : Handlers<Tree[Name]>
}
