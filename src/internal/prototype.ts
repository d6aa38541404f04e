/** What somebody put on `Object.prototype`: every object of options seems to have it. */
export function pollution(): string[] {
  const names: string[] = []
  for (const name in {}) names.push(name)
  return names
}

/** Names the enumerable properties of `Object.prototype` in a message, or returns undefined if there are none. */
export function prototypeProblem(): string | undefined {
  const names = pollution()
  if (names.length === 0) return undefined
  return `Object.prototype has enumerable properties (${names.join(', ')}): they would be read as options and data. Remove them, or define them as not enumerable`
}

/** Do some work as if nobody had put anything on `Object.prototype`: what is there is taken away meanwhile. */
export function unpolluted<T>(work: () => T): T {
  const taken = pollution().map((name) => [name, Object.getOwnPropertyDescriptor(Object.prototype, name)] as const)
  for (const [name] of taken) Reflect.deleteProperty(Object.prototype, name)
  try {
    return work()
  } finally {
    // What was put back before must not take part in what is put back next.
    for (const [name, property] of taken) {
      Object.defineProperty(Object.prototype, name, Object.assign(Object.create(null), property))
    }
  }
}

/** Give an object a property of its own. A plain descriptor would inherit a `get` or `set`. */
export function define(object: object, name: string, value: unknown): void {
  const property = { value, configurable: true, enumerable: true, writable: true }
  Object.defineProperty(object, name, Object.assign(Object.create(null), property))
}
