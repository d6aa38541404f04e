import { builtinModule } from '../../internal/builtin.js'
import { proxiesOf } from './proxy.js'

const fetchAtImport = globalThis.fetch

/** Whether this is Node's own fetch. Tools such as dd-trace replace it before the client is imported. */
const isNodes = String(fetchAtImport).includes('internal/deps/undici')

const dispatcherKeys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')]

/**
 * Returns whether to send requests over `node:http`: on Node, unless a program has replaced the global fetch or has set
 * an undici dispatcher.
 */
export function prefersNodeHttp(): boolean {
  const http = builtinModule<typeof import('node:http')>('node:http')
  if (http === undefined || !isNodes || globalThis.fetch !== fetchAtImport) return false
  // Allows the dispatcher that Node sets for NODE_USE_ENV_PROXY, because `node:http` then uses the same proxy.
  const proxyClasses = proxiesOf(http.globalAgent) ? ['EnvHttpProxyAgent'] : []
  const classes = ['Agent', 'Dispatcher1Wrapper', ...proxyClasses]
  return dispatcherKeys.every((key) => isUnmodified(Reflect.get(globalThis, key), classes))
}

/** Returns whether no dispatcher is set, or one of these classes without interceptors. */
function isUnmodified(dispatcher: object | undefined, classes: readonly string[]): boolean {
  if (!dispatcher) return true
  const { name, prototype } = dispatcher.constructor
  return classes.includes(name) && Reflect.get(dispatcher, 'dispatch') === prototype.dispatch
}

/** Returns whether a fetch function is the built-in one of Bun or Deno. */
export function isRuntimeFetch(fetch: unknown): boolean {
  return fetch === fetchAtImport && ('Bun' in globalThis || 'Deno' in globalThis)
}
