import * as z from 'zod/mini'
import { map, type Schema, scalar } from './schema.js'

/** Whatever came. */
export const anything: Schema<unknown> = scalar(() => z.unknown())

/** An object that JSON can carry without losing or changing anything. */
export const jsonObject: Schema<Record<string, unknown>> = scalar(() =>
  z.custom<Record<string, unknown>>(isJson, {
    error: 'must be an object of JSON values, with finite numbers and nothing undefined',
  }),
)

/** A stack of its own instead of recursion: depth is no limit. */
function isJson(value: unknown): boolean {
  const pending = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'object' && next !== null) pending.push(...Object.values(next))
    else if (next !== null && !isJsonScalar(next)) return false
  }
  return true
}

function isJsonScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

type QueryValue = string | number | boolean | Date | readonly (string | number)[]

/** Query parameters of any name. */
export const queryValues: Schema<Record<string, QueryValue>> = map(
  scalar(() =>
    z.custom<QueryValue>(isQueryValue, { error: 'must be text, a finite number, a boolean, a valid Date or a list' }),
  ),
)

function isQueryValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string' || Number.isFinite(item))
  return value instanceof Date ? !Number.isNaN(value.getTime()) : isJsonScalar(value)
}
