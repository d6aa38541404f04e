import { isDate } from './foreign.js'
import type { Issue } from './issues.js'

/** The maximum nesting depth. Deeper data would overflow the stack in `JSON.stringify` and in recursive validators. */
const maxDepth = 500

type Path = Issue['path']

/**
 * Copies JSON-like data. The client validates and sends the copy, so later changes to the original have no effect.
 *
 * Accepts plain objects, arrays, and class instances that store their data in own enumerable properties. Adds an issue
 * for every other object: promises, `Date`, `Map`, boxed values, and objects with inherited or non-enumerable data or
 * `toJSON`.
 *
 * @param options.dates Whether to accept `Date` values. The schema decides which fields may contain them.
 */
export function copyPlainData(
  value: unknown,
  issues: Issue[],
  { path = [], dates = false }: { path?: Path; dates?: boolean } = {},
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (dates && path.length > 0 && isDate(value)) return new Date(Date.prototype.getTime.call(value))
  // Stops at the first value that is nested too deeply, because circular data can have so many paths that the check
  // would never end.
  if (issues.at(-1)?.code === 'too_deep') return undefined
  if (path.length > maxDepth) {
    issues.push({ path: path.slice(0, 1), code: 'too_deep', message: `is nested more than ${maxDepth} levels deep` })
    return undefined
  }
  const problem = plainObjectProblem(value, path)
  if (problem !== undefined) {
    issues.push(problem)
    return undefined
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => copyPlainData(item, issues, { path: [...path, index], dates }))
  }
  const copy: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    const inner = copyPlainData(item, issues, { path: [...path, name], dates })
    // Defines the property, because an assignment to `__proto__` would set the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: inner, enumerable: true })
    else copy[name] = inner
  }
  return copy
}

/**
 * Returns an issue if JSON would omit or change data in an object.
 *
 * @param methods Whether to accept a class instance that has only methods.
 */
export function plainObjectProblem(value: object, path: Path = [], methods = false): Issue | undefined {
  const issue = (message: string, name?: string): Issue => ({
    path: name === undefined ? path : [...path, name],
    code: 'not_plain_data',
    message,
  })
  if (typeof Reflect.get(value, 'then') === 'function') return issue('is a promise: await it first')
  if (Array.isArray(value)) return undefined
  if (Symbol.iterator in value) return issue('is not a plain object: convert it first')
  if (typeof Reflect.get(value, 'toJSON') === 'function') {
    return issue('has a toJSON method: convert it to a string or a plain object first')
  }
  if (isBoxed(value)) return issue('is a boxed value: pass the primitive')
  const hidden = hiddenDataOf(value)
  if (hidden) return issue(`is ${hidden.kind}, so JSON would omit it: copy the data into a plain object`, hidden.name)
  return !methods && isOpaque(value)
    ? issue('is a class instance without enumerable data: pass a plain object')
    : undefined
}

/** Finds a data property that `JSON.stringify` would omit. */
function hiddenDataOf(value: object): { name: string; kind: 'inherited' | 'not enumerable' } | undefined {
  const prototype = Object.getPrototypeOf(value)
  for (const name of Object.getOwnPropertyNames(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name)
    if (property && !property.enumerable && typeof property.value !== 'function')
      return { name, kind: 'not enumerable' }
  }
  for (let object = prototype; object !== null && !isRootPrototype(object); object = Object.getPrototypeOf(object)) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      if (typeof property.value !== 'function') return { name, kind: 'inherited' }
    }
  }
  return undefined
}

/**
 * Returns whether a class instance has no enumerable data, for example a `WeakMap` or an instance with only private
 * fields.
 */
function isOpaque(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype !== null && !isRootPrototype(prototype) && Object.keys(value).length === 0
}

/** Recognizes the `Object.prototype` of any context: test runners and `node:vm` have separate ones. */
function isRootPrototype(object: object): boolean {
  return Object.hasOwn(object, 'isPrototypeOf')
}

function isBoxed(value: object): boolean {
  return /^\[object (Number|String|Boolean|BigInt|Symbol)\]$/.test(Object.prototype.toString.call(value))
}

/** Returns a message that names the enumerable properties of `Object.prototype`, or undefined if it has none. */
export function prototypeProblem(): string | undefined {
  const names: string[] = []
  for (const name in {}) names.push(name)
  if (names.length === 0) return undefined
  return `Object.prototype has enumerable properties (${names.join(', ')}): they would be read as options and data. Remove them, or make them non-enumerable`
}
