import type { Sandbox } from './api.js'
import { completeAction, DisputeControls, ProcessorControls, setBalance, tokenize } from './controls.js'
import { historyOf } from './domain/payments.js'
import { createFetch } from './http/fetch.js'
import type { Service } from './internal/exchange.js'
import type { SandboxOptions } from './internal/options.js'
import { tokens } from './internal/scenarios.js'
import { createService } from './service/service.js'
import { State } from './state.js'

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
  return assemble(options).sandbox
}

/** Creates a sandbox. Returns it with the service and the state behind it. */
export function assemble(options: SandboxOptions): { sandbox: Sandbox; service: Service; state: State } {
  const state = new State(options)
  const { context, keys, faults, log, webhooks } = state
  const service = createService(context, keys, faults, log)
  const fetch = createFetch(service)
  const apiKey = keys.master
  const sandbox: Sandbox = {
    fetch,
    baseUrl,
    apiKey,
    clientOptions: (overrides) => ({ apiKey, baseUrl, fetch, ...overrides }) as never,
    listen: async (listenOptions) => {
      // Loaded lazily, so that bundles do not contain the server and the sandbox runs without `node:http`.
      const http = globalThis.process?.getBuiltinModule?.('node:http')
      if (http === undefined) throw new Error('listen() needs Node, Bun or Deno. In other runtimes, use sandbox.fetch')
      const { listen } = await import('./http/server.js')
      return listen(http, service, { sandbox, context, faults, log, webhooks }, listenOptions)
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
    history: (paymentId) => historyOf(context.payments.get(paymentId)),
    events: context.feed,
    snapshot: () => state.snapshot(),
    restore: (snapshot) => state.restore(snapshot),
    reset: () => state.reset(),
  }
  return { sandbox, service, state }
}
