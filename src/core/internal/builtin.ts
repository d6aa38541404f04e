/** Returns a built-in Node module, or `undefined` in runtimes without it. An import would fail in those runtimes. */
export function builtinModule<Module>(name: string): Module | undefined {
  try {
    return Object(globalThis).process?.getBuiltinModule?.(name)
  } catch {
    // The edge runtime of Next.js has a `getBuiltinModule` that throws.
    return undefined
  }
}
