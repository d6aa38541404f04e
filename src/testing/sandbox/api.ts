import type { Scope } from '../../core/contract/operation.js'
import type { ApiVersion } from '../../core/contract/version.js'
import type { ClientOptions } from '../../core/options.js'
import type { DisputeControls, ProcessorControls, TokenizeOptions } from './controls.js'
import type { Clock } from './internal/clock.js'
import type { SandboxEvent } from './internal/feed.js'
import type { SandboxOptions, SandboxSettings } from './internal/options.js'
import type { ScenarioTokens } from './internal/scenarios.js'
import type { Faults } from './service/faults.js'
import type { RequestRecord } from './service/request-log.js'
import type { StatusChange } from './store/records.js'
import type { Effect, SandboxSnapshot } from './store/store.js'
import type { Webhooks } from './webhooks/webhooks.js'

/**
 * A stateful payments service in memory, with all operations of both API versions.
 *
 * Methods that simulate external events throw if an ID or name is unknown, or if the change is impossible.
 */
export interface Sandbox {
  /**
   * Sends a request to the service: `fetch(request)` or `fetch(url, init)`. Pass it to a client as the option `fetch`.
   */
  readonly fetch: SandboxFetch
  /** The base URL for `fetch`. */
  readonly baseUrl: string
  /** An API key with every scope. */
  readonly apiKey: string
  /**
   * Returns the options for a client that sends its requests to this sandbox.
   *
   * @example new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' }))
   */
  clientOptions(): { apiKey: string; baseUrl: string; fetch: SandboxFetch }
  clientOptions<const O extends ClientOptions<ApiVersion>>(overrides: O): SandboxClientOptions<O>
  /**
   * Starts an HTTP server with the service, the control API and the inspector page. Requires Node, Bun or Deno.
   *
   * @throws {TypeError} An option is unknown or invalid.
   */
  listen(options?: ListenOptions): Promise<Listening>

  /** The current options. Omitted options have their default values. */
  readonly options: Readonly<SandboxSettings>
  /**
   * Changes options until `reset()`, which restores the options of `createSandbox`. If the seed changes, the position
   * in the sequence of IDs remains: after five IDs, the next ID is the sixth of the new seed.
   *
   * @throws {TypeError} An option is unknown or invalid.
   */
  setOptions(changes: SandboxOptions): void

  /**
   * Creates an API key that has only the given scopes.
   *
   * @throws {TypeError} `scopes` is not an array of scopes.
   */
  createApiKey(options: { scopes: readonly Scope[] }): string
  /** Revokes an API key immediately. `reset()` makes `apiKey` valid again. */
  revokeApiKey(key: string): void

  /** Payment method tokens, one for each scenario. Each can be used any number of times. */
  readonly tokens: ScenarioTokens
  /** Creates a single-use payment method token, as the checkout does. */
  tokenize(options?: TokenizeOptions): string
  /** Simulates the payment processor. */
  readonly processor: ProcessorControls
  /** Completes the `requiredAction` of a payment. @returns the resume token for `payments.resume` */
  completeAction(paymentId: string): string
  /** Simulates disputes. */
  readonly disputes: DisputeControls
  /** Simulates the loyalty provider. */
  readonly loyalty: LoyaltyControls

  /** The service's webhooks. */
  readonly webhooks: Webhooks
  readonly clock: Clock
  /**
   * All changes that the service made, oldest first, even if the caller received an error. The array is live: later
   * changes are appended to it.
   */
  readonly ledger: readonly Effect[]
  /**
   * The last 10,000 requests to the service, oldest first. API keys and signing secrets are masked. The
   * array is live: later requests are appended to it.
   */
  readonly requests: readonly RequestRecord[]
  /** Returns the statuses of a payment, oldest first. */
  history(paymentId: string): readonly StatusChange[]
  /**
   * The changes in the sandbox, as events. An iteration begins with the next change.
   *
   * @example for await (const { type, paymentId } of sandbox.events) console.log(type, paymentId)
   */
  readonly events: AsyncIterable<SandboxEvent>
  /** Injects faults. */
  readonly faults: Faults

  /**
   * Resets state, ledger, requests, deliveries, faults, time and options. Revokes all API keys except `apiKey`. Keeps
   * the signing secret and the subscriptions.
   */
  reset(): void
  /** Returns the state, ledger, deliveries and time as plain JSON, without API keys and signing secrets. */
  snapshot(): SandboxSnapshot
  /**
   * Restores a snapshot of this or another sandbox. Keeps the API keys, signing secret, subscriptions, faults and
   * recorded requests of this sandbox. Discards webhooks that were not delivered yet.
   *
   * @throws {TypeError} The value is not a snapshot, or a release with another format created it.
   */
  restore(snapshot: SandboxSnapshot): void
}

/** A function with the signature of the global `fetch`. */
export type SandboxFetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>

/** Sets a customer's points at the simulated loyalty provider. */
export type LoyaltyControls = { setBalance(connectionId: string, customerId: string, points: number): void }

/** The sandbox's `apiKey`, `baseUrl` and `fetch`, unless they are overridden. */
export type SandboxClientOptions<O> = Omit<{ apiKey: string; baseUrl: string; fetch: SandboxFetch }, keyof O> & O

/** Options for `listen`. */
export interface ListenOptions {
  /** Port to listen on. 0 selects a free port. @default 0 */
  port?: number
  /** Address to listen on. @default '127.0.0.1', reachable only from this machine */
  host?: string
  /**
   * Additional host names and addresses that the inspector page and the control API accept in the `Host` header.
   * `localhost` and the value of `host` are always accepted. Requests for any other host get the response 403. Does not
   * affect the service's API.
   */
  allowedHosts?: readonly string[]
  /** Called when a request to the service has ended. */
  onResponse?: (served: Served) => void
  /** @deprecated Use `onResponse`. */
  onAnswer?: (served: Served) => void
}

/** A request that the sandbox server received, and its result. */
export interface Served {
  readonly method: string
  /** The path and query of the request. */
  readonly path: string
  /** HTTP status. Absent if a fault prevented the response, or the client disconnected. */
  readonly status?: number
  readonly durationMs: number
}

/** A running server. */
export interface Listening {
  /** Base URL for clients, for example `http://127.0.0.1:4010`. */
  readonly url: string
  /** Stops listening and closes every connection. */
  close(): Promise<void>
}
