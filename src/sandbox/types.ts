import type { Scope } from '../contract/operation.js'
import type { ApiVersion } from '../contract/version.js'
import type { ClientOptions, Fetch } from '../options.js'
import type { DisputeStatusEvent } from '../schemas/event.js'
import type { Clock } from './clock.js'
import type { ScenarioName, ScenarioTokens } from './domain/scenarios.js'
import type { Faults } from './faults/faults.js'
import type { Listening, ListenOptions } from './http/server.js'
import type { Effect } from './store/ledger.js'
import type { SandboxSnapshot } from './store/store.js'
import type { Webhooks } from './webhooks/deliveries.js'

/**
 * The whole payments service, in memory and offline: every operation of both versions, with state.
 *
 * Methods that move the outside world throw when they are given an unknown id or name, or when the move is impossible.
 */
export interface Sandbox {
  /** The service as a function: give it to a client, or call it with a `Request`. */
  readonly fetch: Fetch
  /** Where the service is, as far as `fetch` is concerned. */
  readonly baseUrl: string
  /** A key with every scope. */
  readonly apiKey: string
  /**
   * What a client needs to talk to this sandbox.
   *
   * @example new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' }))
   */
  clientOptions<const O extends ClientOptions<ApiVersion> = Record<never, never>>(
    overrides?: O,
  ): SandboxClientOptions<O>
  /** Serve over HTTP too, on Node, Bun or Deno. @param options.port 0 takes a free one, which is the default */
  listen(options?: ListenOptions): Promise<Listening>

  /**
   * Make an API key that may do only this much.
   *
   * @throws {TypeError} No list of scopes, or one that does not exist.
   */
  createApiKey(options: { scopes: readonly Scope[] }): string
  /** The key stops working at once. */
  revokeApiKey(key: string): void

  /** Payment method tokens, one for each way a payment can go. They can be used again and again. */
  readonly tokens: ScenarioTokens
  /** A single-use token, as the checkout would make it. */
  tokenize(options?: TokenizeOptions): string
  /** What the payment processor does on its side. */
  readonly processor: ProcessorControls
  /** The customer does what `requiredAction` asks. @returns the resume token for `payments.resume` */
  completeAction(paymentId: string): string
  /** Customers who want their money back through their bank. */
  readonly disputes: DisputeControls
  readonly loyalty: LoyaltyControls

  /** The service's webhooks: who receives them, and what became of each delivery. */
  readonly webhooks: Webhooks
  readonly clock: Clock
  /** Every effect that really happened, oldest first, whatever the caller was told. Always the same array. */
  readonly ledger: readonly Effect[]
  /** Bad days on request. */
  readonly faults: Faults

  /**
   * Forget everything that happened: state, ledger, deliveries, faults and time. `apiKey`, the signing secret and the
   * webhook subscriptions stay.
   */
  reset(): void
  /** The state, ledger and time as plain JSON. */
  snapshot(): SandboxSnapshot
  /**
   * Go back to a snapshot, of this sandbox or of another one. Deliveries are forgotten; `apiKey`, the signing secret and
   * the subscriptions stay.
   *
   * @throws {TypeError} It is no snapshot.
   */
  restore(snapshot: SandboxSnapshot): void
}

/** How the token is made. */
export interface TokenizeOptions {
  /** The client session that the checkout was initialized with; payments with the token take its values. */
  clientToken?: string
  /** How payments with the token go: a key of `tokens`. @default 'card' */
  scenario?: ScenarioName
}

/** `apiKey`, `baseUrl` and `fetch` of the sandbox, unless overridden. */
export type SandboxClientOptions<O> = Omit<{ apiKey: string; baseUrl: string; fetch: Fetch }, keyof O> & O

/** The processor's side of asynchronous payments and refunds. Each move sends its event. */
export interface ProcessorControls {
  /** A pending payment is authorized. */
  authorize(paymentId: string): void
  /** Settlement is confirmed; of an authorized payment everything is captured by that. */
  settle(paymentId: string): void
  /** A pending payment is declined. */
  decline(paymentId: string): void
  /** A payment that is not final yet fails for a technical reason. */
  fail(paymentId: string): void
  /** The oldest pending refund of the payment reaches its final state. */
  finishRefund(paymentId: string, status: 'SETTLED' | 'FAILED'): void
}

/** Retrievals, disputes (chargebacks) and pre-arbitrations. Each move sends a DISPUTE.STATUS event. */
export interface DisputeControls {
  /** @returns the dispute's id, which is `processorDisputeId` in its events */
  open(paymentId: string, fields?: DisputeFields): string
  /**
   * @param status What it becomes, e.g. `WON`. Any text but an empty one.
   * @param fields What else is different now: a retrieval that became a dispute has another `type`.
   */
  move(disputeId: string, status: string, fields?: DisputeFields): void
}

/** What a dispute's events say beside the payment's own facts. */
export type DisputeFields = Partial<Omit<DisputeStatusEvent, 'eventType' | 'paymentId' | 'processorDisputeId'>>

/** The loyalty provider's side. */
export interface LoyaltyControls {
  setBalance(connectionId: string, customerId: string, points: number): void
}
