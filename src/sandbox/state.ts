import type { Context } from './domain/context.js'
import { Payments } from './domain/payments.js'
import { Sessions } from './domain/sessions.js'
import { Vault } from './domain/vault.js'
import { VirtualClock } from './internal/clock.js'
import { Feed } from './internal/feed.js'
import { changeSettings, readSettings, type SandboxOptions, type SandboxSettings } from './internal/options.js'
import { Random } from './internal/random.js'
import { parsed } from './internal/schema.js'
import { ApiKeys } from './service/api-keys.js'
import { FaultQueue } from './service/faults.js'
import { RequestLog } from './service/request-log.js'
import { createStore, Ledger, restoreStore, type SandboxSnapshot, SnapshotSchema, snapshotOf } from './store/store.js'
import { WebhookSender } from './webhooks/webhooks.js'

/** Creates the state and the domain logic of a sandbox. Webhook events are passed to `emit`. */
export function createContext(settings: SandboxSettings, seed: number | string, emit: Context['emit']): Context {
  const random = new Random(seed)
  const clock: VirtualClock = new VirtualClock(settings.now, () =>
    feed.notify('clock', { now: clock.now().toISOString() }),
  )
  const feed = new Feed(clock)
  const store = createStore(feed.notify)
  const vault = new Vault(store, clock, random)
  const payments = new Payments(store.payments, clock, emit, vault, settings, feed.notify)
  const sessions = new Sessions(store.sessions, clock, random)
  return { settings, clock, random, feed, store, ledger: new Ledger(), payments, sessions, vault, emit }
}

/** Everything that a sandbox stores. */
export class State {
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
    // Deliveries use separate random numbers: their timing is unpredictable, and must not change the ids of payments.
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
      time: clock.snapshot(),
      drawn: random.snapshot(),
      ledger: [...ledger.effects],
      store: snapshotOf(store),
      deliveries: this.webhooks.deliveries.map((delivery) => ({ ...delivery })),
    }
  }

  restore(given: SandboxSnapshot): void {
    const fail = (problems: string) =>
      new TypeError(`The value is not a snapshot of a sandbox: ${problems}. Pass a result of snapshot()`)
    const snapshot = parsed(SnapshotSchema, given, fail)
    if (!this.context.clock.accepts(snapshot.time)) throw fail('time must be in the years 1 to 9999')
    this.#load(snapshot)
    this.context.feed.notify('restore')
  }

  #load(snapshot: SandboxSnapshot): void {
    const { settings, clock, random, ledger, store } = this.context
    restoreStore(store, snapshot.store)
    ledger.restore(snapshot.ledger)
    clock.restore(snapshot.time)
    // Without a seed, every run must create different ids, so the sequence of random numbers is not restored.
    if (settings.seed !== undefined) random.restore(snapshot.drawn)
    this.webhooks.restore(snapshot.deliveries ?? [])
  }

  #reseed(seed: number | string): void {
    this.context.random.reseed(seed)
    this.#webhookRandom.reseed(`${seed}, webhooks`)
  }
}
