import * as z from 'zod'
import { isValidDate } from '../internal/foreign.js'
import { isObject } from '../internal/objects.js'
import type { Problem } from '../internal/validation.js'
import { anyValue, map, type RequestRules, requestRules } from './schema.js'

/** Your own data, as the service returns it. Values of `null` remain `null`. */
export type Metadata = Record<string, unknown>

/** Your own data in a request. Values are strings or integers. */
export type MetadataInput = Record<string, string | number>

export const anything = anyValue<unknown>()

/** Finds a value that `JSON.stringify` would omit or change. Recursion is safe, because copies have a limited depth. */
export function jsonProblem(value: unknown, path: (string | number)[] = []): Problem | undefined {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const innerPath = [...path, Array.isArray(value) ? Number(name) : name]
      const problem = unicodeProblem(name, innerPath) ?? jsonProblem(inner, innerPath)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  if (value === null || isJsonScalar(value)) return unicodeProblem(value, path)
  return { path, code: 'invalid_type', message: 'must be a JSON value: JSON has no undefined, NaN or Infinity' }
}

/** Finds an unpaired surrogate, for example after `name.slice(0, 20)`. UTF-8 cannot encode it. */
export function unicodeProblem(value: unknown, path: (string | number)[] = []): Problem | undefined {
  if (typeof value !== 'string' || value.isWellFormed()) return undefined
  return { path, code: 'invalid_value', message: 'must be well-formed Unicode' }
}

function isJsonScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/**
 * An object with arbitrary content. Its fields are not parsed individually: with `z.record`, parsing a payment's
 * metadata would take as long as parsing all of its other fields.
 */
const anyObject = (rule: RequestRules['rule']) =>
  z
    .unknown()
    .check((payload) => {
      const { value: input, issues } = payload
      if (!isObject(input)) issues.push({ code: 'invalid_type', expected: 'object', input })
    })
    .meta({ type: 'object' })
    .register(requestRules, { rule }) as z.ZodType as z.ZodType<Record<string, unknown>, Record<string, unknown>>

export const jsonObject = anyObject((value) => jsonProblem(value))

export const MetadataSchema = anyObject((value) => jsonProblem(value))

const metadataProblem = (value: unknown): Problem | undefined =>
  typeof value === 'string' || Number.isSafeInteger(value)
    ? unicodeProblem(value)
    : { code: 'invalid_type', message: 'must be a string or an integer' }

export const MetadataInputSchema: z.ZodType<MetadataInput, MetadataInput> = map(
  anyValue<string | number>(metadataProblem),
)

/** Metadata in an update. Accepts all values that a client session may contain, so that they can be sent back. */
export const returnedMetadata: z.ZodType<Metadata, Metadata> = map(
  anyValue<unknown>((value) => (value === null || typeof value === 'boolean' ? undefined : metadataProblem(value))),
)

type QueryValue = string | number | boolean | Date | readonly (string | number)[]

export const queryValues = map(
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
