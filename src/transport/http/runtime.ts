/** A module of Node, had without an import, so that what asks for it also loads where there is no Node. */
export function builtin<Module>(name: string): Module {
  return process.getBuiltinModule(name) as Module
}

/** Where undici keeps what carries the requests of a fetch, from version 8 on and before. */
const globalDispatchers = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

/**
 * Whether requests should go over `node:http`: on Node, unless someone replaced the runtime's fetch or its dispatcher (a
 * test tool, a proxy). Then theirs is used.
 */
export function prefersNodeHttp(): boolean {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return false
  return isNodesOwn(globalThis.fetch) && dispatchers().every((dispatcher) => dispatcher.constructor.name === 'Agent')
}

/** What carries the requests of Node's fetch; absent before the first of them, and elsewhere. */
export function usualDispatcher(): object | undefined {
  return dispatchers()[0]
}

function dispatchers(): object[] {
  const all = globalDispatchers.map((symbol) => (globalThis as Record<symbol, unknown>)[symbol])
  return all.filter((dispatcher) => typeof dispatcher === 'object' && dispatcher !== null)
}

let judged: { readonly fetch: unknown; readonly own: boolean } = { fetch: undefined, own: false }

/** Node's fetch is a function that loads undici from Node's own files. */
function isNodesOwn(fetch: unknown): boolean {
  if (judged.fetch !== fetch) {
    const source = typeof fetch === 'function' ? Function.prototype.toString.call(fetch) : ''
    judged = { fetch, own: source.includes("require('internal/deps/undici/undici')") }
  }
  return judged.own
}
