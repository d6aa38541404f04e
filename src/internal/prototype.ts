/** Names the enumerable properties of `Object.prototype` in a message, or returns undefined if there are none. */
export function prototypeProblem(): string | undefined {
  const names: string[] = []
  for (const name in {}) names.push(name)
  if (names.length === 0) return undefined
  return `Object.prototype has enumerable properties (${names.join(', ')}): they would be read as options and data. Remove them, or define them as not enumerable`
}
