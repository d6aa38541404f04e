import { isObject } from '../../core/internal/objects.js'
import type { Sandbox } from './api.js'
import type { Inspector } from './control/endpoint.js'
import { completeAction, DisputeControls, ProcessorControls, setBalance, tokenize } from './controls.js'
import { type Context, createContext } from './domain/context.js'
import { createFetch } from './http/fetch.js'
import type { Service } from './internal/exchange.js'
import { changeSettings, readSettings, type SandboxOptions, type SandboxSettings } from './internal/options.js'
import { Random } from './internal/random.js'
import { tokens } from './internal/scenarios.js'
import { ApiKeys } from './service/api-keys.js'
import { FaultQueue, operationNames } from './service/faults.js'
import { RequestLog } from './service/request-log.js'
import { createService } from './service/service.js'
import { type Effect, restoreStore, type SandboxSnapshot, snapshotOf, snapshotVersion } from './store/store.js'
import { WebhookSender } from './webhooks/webhooks.js'

/** This host does not exist, so a request fails if it is not sent with the sandbox's `fetch`. */
const baseUrl = 'https://sandbox.invalid'

/**
 * Creates a sandbox. Returns the sandbox together with its service and its internal state.
 *
 * @param inspector The pages of the sandbox's server. By default, the server has no pages.
 */
export function assemble(
  options: SandboxOptions,
  inspector?: Inspector,
): { sandbox: Sandbox; service: Service; context: Context } {
  const state = new State(options)
  const { context, keys, faults, log, webhooks } = state
  const service = createService(context, keys, faults, log)
  const fetch = createFetch(service)
  const apiKey = keys.master
  const sandbox: Sandbox = {
    fetch,
    baseUrl,
    apiKey,
    clientOptions: (overrides?: object) => ({ apiKey, baseUrl, fetch, ...overrides }) as never,
    listen: async (listenOptions) => {
      // Loads the server lazily, so that bundles do not contain it and the sandbox also runs without `node:http`.
      const http = globalThis.process?.getBuiltinModule?.('node:http')
      if (http === undefined) throw new Error('listen() needs Node, Bun or Deno. In other runtimes, use sandbox.fetch')
      const { listen } = await import('./http/server.js')
      return listen(http, service, { sandbox, context, faults, log, webhooks, inspector }, listenOptions)
    },
    get options() {
      return { ...context.settings }
    },
    setOptions: (changes) => state.setOptions(changes),
    createApiKey: (keyOptions) => keys.create(keyOptions),
    revokeApiKey: (key) => keys.revoke(key),
    tokens,
    tokenize: (tokenizeOptions = {}) => tokenize(tokenizeOptions, context),
    processor: new ProcessorControls(context),
    completeAction: (paymentId) => completeAction(paymentId, context),
    disputes: new DisputeControls(context),
    loyalty: { setBalance: (...balance) => setBalance(...balance, context) },
    webhooks,
    clock: context.clock,
    ledger: context.ledger.effects,
    faults,
    requests: log.records,
    history: (paymentId) => context.payments.get(paymentId).history,
    events: context.feed,
    snapshot: () => state.snapshot(),
    restore: (snapshot) => state.restore(snapshot),
    reset: () => state.reset(),
  }
  return { sandbox, service, context }
}

/** The complete state of a sandbox. */
class State {
  readonly context: Context
  readonly keys: ApiKeys
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly webhooks: WebhookSender
  readonly #seed: number | string
  readonly #webhookRandom: Random
  readonly #first: { readonly settings: SandboxSettings; readonly snapshot: SandboxSnapshot }

  constructor(options: SandboxOptions) {
    const settings = readSettings(options)
    this.#seed = settings.seed ?? Math.random()
    this.context = createContext(settings, this.#seed, (event) => this.webhooks.emit(event))
    const { clock, feed, random } = this.context
    this.faults = new FaultQueue(feed.notify)
    this.keys = new ApiKeys(random, feed.notify)
    this.log = new RequestLog(clock, feed.notify)
    // Deliveries use separate random numbers, so that the timing of deliveries does not change payment IDs.
    this.#webhookRandom = new Random(`${this.#seed}, webhooks`)
    this.webhooks = new WebhookSender(clock, this.#webhookRandom, feed.notify)
    this.#first = { settings: { ...settings }, snapshot: this.snapshot() }
  }

  setOptions(changes: SandboxOptions): void {
    const { settings, clock, feed } = this.context
    changeSettings(settings, changes)
    if (changes.seed !== undefined) this.#reseed(changes.seed)
    if (changes.now === undefined) return
    clock.set(changes.now)
    feed.notify('clock', { now: changes.now.toISOString() })
  }

  reset(): void {
    const { settings, clock, feed } = this.context
    Object.assign(settings, this.#first.settings)
    this.#reseed(this.#seed)
    clock.set(settings.now)
    this.faults.clear()
    this.keys.clear()
    this.log.clear()
    this.#load(this.#first.snapshot)
    this.webhooks.reset()
    feed.notify('reset')
  }

  snapshot(): SandboxSnapshot {
    const { clock, random, ledger, store } = this.context
    return {
      version: snapshotVersion,
      time: clock.snapshot(),
      drawn: random.snapshot(),
      ledger: [...ledger.effects],
      store: snapshotOf(store),
      deliveries: this.webhooks.deliveries.map((delivery) => ({ ...delivery })),
    }
  }

  restore(given: SandboxSnapshot): void {
    const problem = snapshotProblem(given, this.context)
    if (problem)
      throw new TypeError(`The value is not a snapshot of a sandbox: ${problem}. Pass a result of snapshot()`)
    this.#load(given)
    this.context.feed.notify('restore')
  }

  #load(snapshot: SandboxSnapshot): void {
    const { settings, clock, random, ledger, store } = this.context
    restoreStore(store, snapshot.store)
    ledger.restore(snapshot.ledger)
    clock.restore(snapshot.time)
    // Restores the random sequence only with a seed, because without a seed, every run must create different IDs.
    if (settings.seed !== undefined) random.restore(snapshot.drawn)
    this.webhooks.restore(snapshot.deliveries)
  }

  #reseed(seed: number | string): void {
    this.context.random.reseed(seed)
    this.#webhookRandom.reseed(`${seed}, webhooks`)
  }
}

/** Returns the reason that a value cannot be restored, or undefined. */
function snapshotProblem(given: SandboxSnapshot, { clock, store }: Context): string | undefined {
  if (Object(given).version !== snapshotVersion) return `version must be ${snapshotVersion}, the format of this release`
  const isRows = (value: unknown) => Array.isArray(value) && value.every((row) => Object(row) === row)
  const tables = Object.keys(store).map((name) => [`store.${name}`, Object(given.store)[name]] as const)
  const all = [['ledger', given.ledger] as const, ['deliveries', given.deliveries] as const, ...tables]
  for (const [name, rows] of all) if (!isRows(rows)) return `${name} must be an array of objects`
  if (!given.store['payments']?.every((row) => Object(row).payment))
    return 'store.payments contains a row without payment'
  if (!given.deliveries.every(({ body }) => isEvent(body)))
    return 'deliveries contains a body that is not a JSON object'
  const isKnown = ({ operation }: Effect) => operationNames.some((name) => name === operation) || isProcessor(operation)
  if (!given.ledger.every(isKnown)) return 'ledger contains an unknown operation'
  return clock.accepts(given.time) ? undefined : 'time must be in the years 1 to 9999'
}

function isEvent(body: string): boolean {
  try {
    return isObject(JSON.parse(body))
  } catch {
    return false
  }
}

const isProcessor = (operation: string) => /^processor\.(authorize|settle|decline|fail|finishRefund)$/.test(operation)
