import * as z from 'zod/mini'
import { map, type Schema, scalar, valueThat } from './schema.js'

/** Whatever came. */
export const anything: Schema<unknown> = scalar(() => z.unknown())

/** An object that JSON can carry without losing or changing anything. */
export const jsonObject: Schema<Record<string, unknown>> = scalar(() =>
  valueThat(
    (value) => typeof value === 'object' && value !== null && isJson(value),
    'must be an object of JSON values, with finite numbers and nothing undefined',
  ),
)

/** Walks without recursion, and meets every object once: neither depth, length nor a circle is a problem. */
function isJson(value: unknown): boolean {
  const met = new Set([value])
  for (const next of met) {
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) met.add(inner)
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
  scalar(() => valueThat<QueryValue>(isQueryValue, 'must be text, a finite number, a boolean, a valid Date or a list')),
)

function isQueryValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string' || Number.isFinite(item))
  return value instanceof Date ? !Number.isNaN(value.getTime()) : isJsonScalar(value)
}
