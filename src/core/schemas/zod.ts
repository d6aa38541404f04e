/** The two rules that zod's own types lack. No other file uses zod's internals. */
import * as z from 'zod'
import { maxIssues } from '../internal/validation.js'

type Run = z.core.$ZodType['_zod']['run']
type Payload = z.core.ParsePayload
type Context = z.core.ParseContextInternal

/** The number of `null` values that `absent` has read, in all calls of `parse`. */
let nulls = 0

/**
 * A field that may be absent. `null` means absent, because the service sends `null` in any optional field. zod has no
 * such type. A transformation would take four times as long, and `z.toJSONSchema` rejects transformations.
 */
export function absent<S extends z.ZodType>(schema: S): z.ZodExactOptional<S> {
  const optional = z.exactOptional(schema)
  optional._zod.run = (payload, context) => {
    if (payload.value === undefined) return payload
    if (payload.value !== null) return schema._zod.run(payload, context) as ReturnType<Run>
    nulls++
    payload.value = undefined
    return payload
  }
  return optional
}

/** The number of issues that each running `parse` has found so far. zod creates a context for each call of `parse`. */
const issueCounts = new WeakMap<Context, number>()

/**
 * Changes the parser of an object or map:
 *
 * - Removes the fields that were `null`. zod alone would keep their names, with the value `undefined`.
 * - Stops after 1,000 issues. zod alone would need gigabytes for an array of a million invalid objects.
 */
function container<S extends z.ZodType>(schema: S): S {
  schema._zod.run = (payload, context) => {
    const before = { nulls, issues: issueCounts.get(context) ?? 0 }
    if (before.issues >= maxIssues) return payload
    // Reads `parse` for every value, because zod replaces it with a faster parser at the first value.
    const parsed = schema._zod.parse(payload, context)
    return parsed instanceof Promise
      ? parsed.then((value) => finish(value, context, before))
      : finish(parsed, context, before)
  }
  return schema
}

function finish(parsed: Payload, context: Context, before: { nulls: number; issues: number }): Payload {
  if (nulls > before.nulls) removeUndefined(parsed.value as object)
  if (parsed.issues.length > 0) {
    parsed.issues.splice(maxIssues - before.issues)
    issueCounts.set(context, before.issues + parsed.issues.length)
  }
  return parsed
}

function removeUndefined(object: object): void {
  for (const [name, value] of Object.entries(object)) if (value === undefined) Reflect.deleteProperty(object, name)
}

/**
 * An object that may have additional fields. Its TypeScript type, like that of `z.object`, allows none, so that a
 * misspelled field of the parsed object is a compile error.
 */
export function object<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strip> {
  return container(z.looseObject(shape)) as z.ZodType as z.ZodObject<Shape, z.core.$strip>
}

/** An object with arbitrary keys. `null` means absent. */
export function map<Item extends z.ZodType>(item: Item): z.ZodRecord<z.ZodString, Item> {
  return container(z.record(z.string(), absent(item) as z.ZodType as Item))
}

/** Parses a value. Unlike `safeParse`, always returns the data, with any invalid parts unchanged. */
export function run(schema: z.ZodType, value: unknown): Payload {
  return schema._zod.run({ value, issues: [] }, { async: false, reportInput: true }) as Payload
}
