import { isValidDate } from '../internal/foreign.js'
import type { Problem } from '../internal/validation.js'
import { anyValue, map, object, type Schema } from './schema.js'

/** Your own data, as the service returns it. Values of `null` remain `null`. */
export type Metadata = Record<string, unknown>

/** Your own data in a request. Values are strings or integers. */
export type MetadataInput = Record<string, string | number>

export const anything: Schema<unknown> = /* @__PURE__ */ anyValue()

/** A schema that accepts every value that JSON can represent. */
export const json: Schema<unknown> = /* @__PURE__ */ anyValue((value) => jsonProblem(value))

export const jsonObject: Schema<Record<string, unknown>> = object<Record<string, unknown>>(() => ({}), { open: true })

/** Finds a value that `JSON.stringify` would omit or change. Recursion is safe, because copied data has a limited depth. */
function jsonProblem(value: unknown, path: (string | number)[] = []): Problem | undefined {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const problem = jsonProblem(inner, [...path, Array.isArray(value) ? Number(name) : name])
      if (problem !== undefined) return problem
    }
    return undefined
  }
  if (value === null || isJsonScalar(value)) return undefined
  return { path, code: 'invalid_type', message: 'must be a JSON value: JSON has no undefined, NaN or Infinity' }
}

function isJsonScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

export const Metadata: Schema<Metadata> = object<Metadata>(() => ({}), { open: true })

export const MetadataInput: Schema<MetadataInput> = map(
  anyValue<string | number>((value) =>
    typeof value === 'string' || Number.isSafeInteger(value)
      ? undefined
      : { code: 'invalid_type', message: 'must be a string or an integer' },
  ),
)

type QueryValue = string | number | boolean | Date | readonly (string | number)[]

export const queryValues: Schema<Record<string, QueryValue>> = map(
  anyValue<QueryValue>((value) =>
    isQueryValue(value)
      ? undefined
      : { code: 'invalid_type', message: 'must be a string, a finite number, a boolean, a valid Date or an array' },
  ),
)

function isQueryValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string' || Number.isFinite(item))
  return isValidDate(value) || isJsonScalar(value)
}
