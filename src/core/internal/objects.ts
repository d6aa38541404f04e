/** Returns whether a value is an object, but not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether two values may be equal. An unknown value may equal any other value. */
export const agree = (a: unknown, b: unknown): boolean => a === undefined || b === undefined || a === b

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
