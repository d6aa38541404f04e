import { builtinModule } from '../../internal/builtin.js'
import { proxiesOf } from './proxy.js'

const fetchAtImport = globalThis.fetch
const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')]

/**
 * Returns whether to send requests over `node:http`: on Node, unless a program has replaced the global fetch after it
 * imported the client, or has set an undici dispatcher.
 */
export function prefersNodeHttp(): boolean {
  const http = builtinModule<typeof import('node:http')>('node:http')
  if (http === undefined || !globalThis.navigator?.userAgent.startsWith('Node.js/')) return false
  // With the environment variable NODE_USE_ENV_PROXY, Node sets this dispatcher, and `node:http` uses the same proxy.
  const proxyClasses = proxiesOf(http.globalAgent) ? ['EnvHttpProxyAgent'] : []
  const classes = ['Agent', 'Dispatcher1Wrapper', ...proxyClasses]
  const isStandard = (key: symbol) => isUnmodified(Reflect.get(globalThis, key), classes)
  return globalThis.fetch === fetchAtImport && dispatcherKeys.every(isStandard)
}

/** Returns whether a dispatcher is absent, or an instance of one of these classes without interceptors. */
function isUnmodified(dispatcher: object | undefined, classes: readonly string[]): boolean {
  if (!dispatcher) return true
  const { name, prototype } = dispatcher.constructor
  return classes.includes(name) && Reflect.get(dispatcher, 'dispatch') === prototype.dispatch
}

/** Returns whether a fetch is the one of Bun or Deno. */
export function isRuntimeFetch(fetch: unknown): boolean {
  return fetch === fetchAtImport && ('Bun' in globalThis || 'Deno' in globalThis)
}
