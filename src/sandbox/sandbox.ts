import { VirtualClock } from './clock.js'
import { completeAction, disputeControls, loyaltyControls, processorControls, tokenize } from './controls.js'
import type { Desk } from './domain/context.js'
import { Payments } from './domain/payments.js'
import { tokens } from './domain/scenarios.js'
import { Sessions } from './domain/sessions.js'
import { Vault } from './domain/vault.js'
import { FaultScript } from './faults/faults.js'
import { createFetch } from './http/fetch.js'
import { listen } from './http/server.js'
import { type SandboxOptions, settle } from './options.js'
import { Random } from './random.js'
import { ApiKeys } from './service/api-keys.js'
import { Idempotency } from './service/idempotency.js'
import { createService } from './service/service.js'
import { Ledger } from './store/ledger.js'
import { Store } from './store/store.js'
import type { Sandbox } from './types.js'
import { Deliveries } from './webhooks/deliveries.js'
import { Events } from './webhooks/events.js'

/** No such host exists, so that nothing leaves the machine if the sandbox's `fetch` is forgotten. */
const baseUrl = 'https://sandbox.invalid'

/**
 * Create a payments service of your own, in memory.
 *
 * @example
 * const sandbox = createSandbox()
 * const client = new PaymentsClient(sandbox.clientOptions())
 * @throws {TypeError} An unknown option, or a value that makes no sense.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = settle(options)
  const seed = settings.seed ?? Math.random()
  const random = new Random(seed)
  const clock = new VirtualClock(settings.now)
  const store = new Store()
  const ledger = new Ledger()
  const faults = new FaultScript()
  const keys = new ApiKeys(store.apiKeys, random)
  // Deliveries draw when their time comes; with a source of their own they leave the order of the ids alone.
  const webhooks = new Deliveries(clock, new Random(`${seed}, webhooks`))
  const events = new Events(clock, (event) => webhooks.emit(event))
  const desk: Desk = {
    settings,
    clock,
    random,
    store,
    events,
    payments: new Payments(store.payments, clock, events, settings.listDelayMs),
    sessions: new Sessions(store.sessions, clock, random),
    vault: new Vault(store, clock, random),
  }
  const idempotency = new Idempotency(store.answers, settings.idempotency)
  const service = createService({ desk, faults, keys, idempotency, ledger })
  const fetch = createFetch(service)

  const snapshot = () => ({
    time: clock.snapshot(),
    drawn: random.snapshot(),
    ledger: [...ledger.effects],
    store: store.snapshot(),
  })
  const beginning = snapshot()
  const restore: Sandbox['restore'] = (moment) => {
    store.restore(Object(moment).store)
    ledger.restore(moment.ledger)
    clock.restore(moment.time)
    // Without a seed nobody counts on the same ids coming again, and new ones tell the runs apart.
    if (settings.seed !== undefined) random.restore(moment.drawn)
    webhooks.reset()
  }

  return {
    fetch,
    baseUrl,
    apiKey: keys.master,
    clientOptions: (overrides) => ({ apiKey: keys.master, baseUrl, fetch, ...overrides }) as never,
    listen: (listenOptions) => listen(service, listenOptions),
    createApiKey: (keyOptions) => keys.create(keyOptions),
    revokeApiKey: (key) => keys.revoke(key),
    tokens,
    tokenize: (tokenizeOptions = {}) => tokenize(tokenizeOptions, desk),
    processor: processorControls(desk),
    completeAction: (paymentId) => completeAction(paymentId, desk),
    disputes: disputeControls(desk),
    loyalty: loyaltyControls(desk),
    webhooks,
    clock,
    ledger: ledger.effects,
    faults,
    snapshot,
    restore,
    reset() {
      faults.clear()
      restore(beginning)
    },
  }
}
