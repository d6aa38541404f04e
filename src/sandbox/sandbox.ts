import type { Scope } from '../contract/operation.js'
import type { ApiVersion } from '../contract/version.js'
import type { ClientOptions } from '../options.js'
import {
  completeAction,
  DisputeControls,
  ProcessorControls,
  setBalance,
  type TokenizeOptions,
  tokenize,
} from './controls.js'
import type { Context } from './domain/context.js'
import { Events } from './domain/events.js'
import { historyOf, Payments } from './domain/payments.js'
import { Sessions } from './domain/sessions.js'
import { Vault } from './domain/vault.js'
import { createFetch, type SandboxFetch } from './http/fetch.js'
import type { Listening, ListenOptions } from './http/server.js'
import { type Clock, VirtualClock } from './internal/clock.js'
import { Feed, type SandboxEvent } from './internal/feed.js'
import { changeSettings, readSettings, type SandboxOptions, type SandboxSettings } from './internal/options.js'
import { Random } from './internal/random.js'
import { type ScenarioTokens, tokens } from './internal/scenarios.js'
import { parsed } from './internal/schema.js'
import { ApiKeys } from './service/api-keys.js'
import { FaultQueue, type Faults } from './service/faults.js'
import { RequestLog, type RequestRecord } from './service/request-log.js'
import { createService } from './service/service.js'
import type { StatusChange } from './store/records.js'
import { SnapshotSchema } from './store/snapshot.js'
import { type Effect, Ledger, type SandboxSnapshot, Store } from './store/store.js'
import { WebhookSender, type Webhooks } from './webhooks/webhooks.js'

/**
 * A stateful payments service in memory, with all operations of both API versions.
 *
 * Methods that simulate external events throw if an id or name is unknown, or if the change is impossible.
 */
export interface Sandbox {
  /** Sends a request to the service: `fetch(request)` or `fetch(url, init)`. Pass it to the client as the option `fetch`. */
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
  clientOptions<const O extends ClientOptions<ApiVersion> = Record<never, never>>(
    overrides?: O,
  ): SandboxClientOptions<O>
  /**
   * Starts an HTTP server with the service, the control API and the inspector page. Requires Node, Bun or Deno.
   *
   * @throws {TypeError} An option is unknown or invalid.
   */
  listen(options?: ListenOptions): Promise<Listening>

  /** The current options, with their defaults. */
  readonly options: Readonly<SandboxSettings>
  /**
   * Changes options. `reset()` restores the options of `createSandbox`. After a change of the seed, the next id continues
   * in the sequence of the new seed.
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
   * All changes that the service made, oldest first. Includes changes for which the caller received an error. Every
   * access returns the same array.
   */
  readonly ledger: readonly Effect[]
  /**
   * The last 10,000 requests to the service, oldest first. API keys, signing secrets and card numbers are masked. Every
   * access returns the same array.
   */
  readonly requests: readonly RequestRecord[]
  /** Returns the statuses of a payment, oldest first. */
  history(paymentId: string): readonly StatusChange[]
  /**
   * The changes in the sandbox. An iteration begins with the next change.
   *
   * @example for await (const { type, paymentId } of sandbox.events) console.log(type, paymentId)
   */
  readonly events: AsyncIterable<SandboxEvent>
  /** Injects faults. */
  readonly faults: Faults

  /**
   * Resets state, ledger, requests, deliveries, faults, time and options. Keeps `apiKey`, the signing secret and the
   * subscriptions, and revokes all other API keys.
   */
  reset(): void
  /** Returns the state, ledger, deliveries and time as plain JSON, without API keys and signing secrets. */
  snapshot(): SandboxSnapshot
  /**
   * Restores a snapshot of this or another sandbox. Keeps API keys, the signing secret, the subscriptions, the faults and the
   * recorded requests. Pending webhooks are not sent.
   *
   * @throws {TypeError} The value is not a snapshot.
   */
  restore(snapshot: SandboxSnapshot): void
}

/** Sets a customer's points at the simulated loyalty provider. */
export type LoyaltyControls = { setBalance(connectionId: string, customerId: string, points: number): void }

/** The sandbox's `apiKey`, `baseUrl` and `fetch`, unless they are overridden. */
export type SandboxClientOptions<O> = Omit<{ apiKey: string; baseUrl: string; fetch: SandboxFetch }, keyof O> & O

/** Creates the state and the domain logic of a sandbox. Webhook events are passed to `emit`. */
export function createContext(
  settings: SandboxSettings,
  seed: number | string,
  emit: (event: object) => void,
): Context {
  const random = new Random(seed)
  const clock: VirtualClock = new VirtualClock(settings.now, () =>
    feed.notify('clock', { now: clock.now().toISOString() }),
  )
  const feed = new Feed(clock)
  const store = new Store(feed.notify)
  const events = new Events(clock, emit)
  const vault = new Vault(store, clock, random)
  const payments = new Payments(store.payments, clock, events, vault, settings, feed.notify)
  const sessions = new Sessions(store.sessions, clock, random)
  return { settings, clock, random, feed, store, ledger: new Ledger(), payments, sessions, vault, events }
}

/** Uses a host that does not exist, so that a request without the sandbox's `fetch` fails locally. */
const baseUrl = 'https://sandbox.invalid'

/**
 * Creates a payments service in memory.
 *
 * @example
 * const sandbox = createSandbox()
 * const client = new PaymentsClient(sandbox.clientOptions())
 * @throws {TypeError} An option is unknown or invalid.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = readSettings(options)
  const firstSettings = { ...settings }
  const seed = settings.seed ?? Math.random()
  const context = createContext(settings, seed, (event) => webhooks.emit(event))
  const { clock, random, feed, store, ledger, payments } = context
  const faults = new FaultQueue(feed.notify)
  const keys = new ApiKeys(random, feed.notify)
  const log = new RequestLog(clock, feed.notify)
  // Deliveries use separate random numbers: their timing is unpredictable, and must not change the ids of payments.
  const webhookRandom = new Random(`${seed}, webhooks`)
  const webhooks = new WebhookSender(clock, webhookRandom, feed.notify)
  const service = createService(context, keys, faults, log)
  const fetch = createFetch(service)

  const snapshot = () => ({
    time: clock.snapshot(),
    drawn: random.snapshot(),
    ledger: [...ledger.effects],
    store: store.snapshot(),
    deliveries: webhooks.deliveries.map((delivery) => ({ ...delivery })),
  })
  const initial = snapshot()
  const load = (snapshot: SandboxSnapshot) => {
    store.restore(snapshot.store)
    ledger.restore(snapshot.ledger)
    clock.restore(snapshot.time)
    // Without a seed, every run must create different ids, so the sequence of random numbers is not restored.
    if (settings.seed !== undefined) random.restore(snapshot.drawn)
    webhooks.restore(snapshot.deliveries ?? [])
  }

  const restore = (given: SandboxSnapshot) => {
    const fail = (problems: string) =>
      new TypeError(`The value is not a snapshot of a sandbox: ${problems}. Pass a result of snapshot()`)
    const snapshot = parsed(SnapshotSchema, given, fail)
    if (!clock.accepts(snapshot.time)) throw fail('time must be in the years 1 to 9999')
    load(snapshot)
    feed.notify('restore')
  }
  const reseed = (seed: number | string) => {
    random.reseed(seed)
    webhookRandom.reseed(`${seed}, webhooks`)
  }
  const setOptions = (changes: SandboxOptions) => {
    changeSettings(settings, changes)
    if (changes.seed !== undefined) reseed(changes.seed)
    if (changes.now === undefined) return
    clock.set(changes.now)
    feed.notify('clock', { now: changes.now.toISOString() })
  }
  const reset = () => {
    Object.assign(settings, firstSettings)
    reseed(seed)
    clock.set(firstSettings.now)
    faults.clear()
    keys.clear()
    log.clear()
    load(initial)
    webhooks.reset()
    feed.notify('reset')
  }

  return {
    fetch,
    baseUrl,
    apiKey: keys.master,
    clientOptions: (overrides) => ({ apiKey: keys.master, baseUrl, fetch, ...overrides }) as never,
    listen: async (listenOptions) => {
      // Loaded lazily, so that bundles do not contain the server and the sandbox runs without `node:http`.
      const http = globalThis.process?.getBuiltinModule?.('node:http')
      if (http === undefined) throw new Error('listen() needs Node, Bun or Deno. In other runtimes, use sandbox.fetch')
      const { listen } = await import('./http/server.js')
      return listen(
        http,
        service,
        { context, keys, faults, log, webhooks, setOptions, snapshot, restore, reset },
        listenOptions,
      )
    },
    get options() {
      return { ...settings }
    },
    setOptions,
    createApiKey: (keyOptions) => keys.create(keyOptions),
    revokeApiKey: (key) => keys.revoke(key),
    tokens,
    tokenize: (tokenizeOptions = {}) => tokenize(tokenizeOptions, context),
    processor: new ProcessorControls(context),
    completeAction: (paymentId) => completeAction(paymentId, context),
    disputes: new DisputeControls(context),
    loyalty: { setBalance: (...balance) => setBalance(...balance, context) },
    webhooks,
    clock,
    ledger: ledger.effects,
    faults,
    requests: log.records,
    history: (paymentId) => historyOf(payments.get(paymentId)),
    events: feed,
    snapshot,
    restore,
    reset,
  }
}
