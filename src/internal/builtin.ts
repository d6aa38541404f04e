/**
 * Returns a built-in Node module, or `undefined` in a runtime without it. Does not import the module, so that the caller's
 * file also loads in other runtimes.
 */
export function builtinModule<Module>(name: string): Module | undefined {
  try {
    return Object(globalThis).process?.getBuiltinModule?.(name)
  } catch {
    // The edge runtime of Next.js has a `getBuiltinModule` that throws.
    return undefined
  }
}
