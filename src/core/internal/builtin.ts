/** Returns a built-in Node module, or `undefined` in runtimes without it, in which an `import` would fail. */
export function builtinModule<Module>(name: string): Module | undefined {
  try {
    return Object(globalThis).process?.getBuiltinModule?.(name)
  } catch {
    // Reached in the edge runtime of Next.js, whose `getBuiltinModule` throws.
    return undefined
  }
}
