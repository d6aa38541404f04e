import { inspect } from 'node:util'
import { type MockInstance, vi } from 'vitest'

/** Records the arguments of `console.log` until `restore()`. */
export function keepPrinted(): { lines: unknown[][]; restore(): void } {
  const lines: unknown[][] = []
  const log: MockInstance = vi.spyOn(console, 'log').mockImplementation((...values) => void lines.push(values))
  return { lines, restore: () => log.mockRestore() }
}

/** Formats the arguments of `console.log` like the `//=>` comments in examples. */
export function asCode(values: readonly unknown[]): string {
  return values.map((value) => inspect(value, { breakLength: Number.POSITIVE_INFINITY })).join(' ')
}

/** Returns the expected output of a program, from its `//=>` comments. */
export function promisedLines(source: string): string[] {
  return [...source.matchAll(/\/\/=> (.+)$/gm)].map(([, line]) => line as string)
}
