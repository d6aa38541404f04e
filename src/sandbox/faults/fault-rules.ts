import * as operations from '../../contract/index.js'
import type { AnyOperation } from '../../contract/operation.js'
import { requireOptions, unknown } from '../options.js'
import type { Fault } from './fault.js'

/** What an option must be, where it is not. */
type Rule = (value: unknown) => string | undefined

const rules: { [Name in keyof Required<Fault>]: Rule } = {
  operation: operationProblem,
  times: (value) =>
    value === Infinity || isWhole(value, 1) ? undefined : 'must be a whole number of at least 1, or Infinity',
  at: (value) =>
    value === 'before' || value === 'after' || isWhole(value, 0) ? undefined : "must be 'before', 'after' or a byte",
  status: (value) => (isWhole(value, 200, 599) ? undefined : 'must be a status from 200 to 599'),
  headers: headersProblem,
  body: (value) =>
    typeof value === 'string' || typeof value === 'function' || (typeof value === 'object' && value !== null)
      ? undefined
      : 'must be a text, an object or a function',
  delay: (value) => (isWhole(value, 0, longestTimer) ? undefined : `must be milliseconds from 0 to ${longestTimer}`),
  hang: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  reset: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
}

const longestTimer = 2 ** 31 - 1

/** Throws a `TypeError` that says what is wrong with a fault, if anything is. */
export function refuseNonsense(fault: Fault): void {
  requireOptions('fault option', fault, Object.keys(rules))
  for (const [name, value] of Object.entries(fault)) {
    const problem = value === undefined ? undefined : rules[name as keyof Fault](value)
    if (problem) throw new TypeError(`The fault option "${name}" ${problem}`)
  }
  if (fault.hang && fault.reset) throw new TypeError('A fault either hangs or resets the connection')
  if (typeof fault.body === 'function' && (fault.at ?? 'before') === 'before') {
    throw new TypeError('A body can be made from the answer only once there is one: set "at" to \'after\' or a byte')
  }
}

function operationProblem(value: unknown): string | undefined {
  const names = namesIn(operations)
  if (!names.includes(value as string)) throw new TypeError(unknown('operation', value, names))
  return undefined
}

/** `payments.create` and all the others, read off the contract. */
function namesIn(part: object): string[] {
  return Object.values(part).flatMap((entry: object) =>
    'method' in entry ? [(entry as AnyOperation).name] : namesIn(entry),
  )
}

function headersProblem(value: unknown): string | undefined {
  try {
    new Headers(value as Record<string, string>)
    return undefined
  } catch {
    return 'must be an object of header names and values'
  }
}

function isWhole(value: unknown, minimum: number, maximum = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum
}
