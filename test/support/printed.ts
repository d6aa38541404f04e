import { inspect } from 'node:util'
import { type MockInstance, vi } from 'vitest'

/** Keeps what is printed with `console.log`, from here until `restore()`. */
export function keepPrinted(): { lines: unknown[][]; restore(): void } {
  const lines: unknown[][] = []
  const log: MockInstance = vi.spyOn(console, 'log').mockImplementation((...values) => void lines.push(values))
  return { lines, restore: () => log.mockRestore() }
}

/** A line as the comments of examples write it: values as code. */
export function asCode(values: readonly unknown[]): string {
  return values.map((value) => inspect(value, { breakLength: Number.POSITIVE_INFINITY })).join(' ')
}

/** What the comments of a program say that it prints, in the order of the text. */
export function promisedLines(source: string): string[] {
  return [...source.matchAll(/\/\/=> (.+)$/gm)].map(([, line]) => line as string)
}
