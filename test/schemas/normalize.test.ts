import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import * as event from '../../src/schemas/event.js'
import { normalize } from '../../src/schemas/normalize.js'
import * as payment from '../../src/schemas/payment.js'
import * as paymentsList from '../../src/schemas/payments-list.js'
import type { Schema } from '../../src/schemas/schema.js'
import { toZod } from '../../src/schemas/zod.js'
import { completeValue } from '../support/complete-value.js'
import { pathsOf, without, withValue } from '../support/response-paths.js'

// Property tests make hundreds of runs.
vi.setConfig({ testTimeout: 30_000 })

const { Payment, PaymentV21 } = payment
const { PaymentsPage } = paymentsList
const { PaymentStatusEvent, DisputeStatusEvent } = event
const schemas: Record<string, Schema<unknown>> = {
  Payment,
  PaymentV21,
  PaymentsPage,
  PaymentStatusEvent,
  DisputeStatusEvent,
}

const oddValues = [
  ...[null, 'text', 'true', 'false', true, false],
  ...[0, 1.5, 2 ** 53 - 1, 2 ** 53, Number.POSITIVE_INFINITY],
  ...[[], {}, [null], [{}], { id: null }, { id: 'id' }],
]

const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddValues, '', -1, -(2 ** 53), 1e21, 'TRUE', '700', [[]], [{ id: 5 }]) },
  // zod drops fields named `__proto__`, but `normalize` keeps them.
  { weight: 1, arbitrary: fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')) },
)

const anyChange = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'double'),
  value: anyValue,
  name: fc.constantFrom('somethingNew', 'id', 'amount', 'constructor', 'toString', '0'),
})

type Change = typeof anyChange extends fc.Arbitrary<infer T> ? T : never

function changed(response: object, { place, kind, value, name }: Change): object {
  const paths = pathsOf(response)
  const path = paths[place % paths.length]
  if (path === undefined) return response
  const siblings = path.slice(0, -1)
  if (kind === 'remove') return without(response, path)
  if (kind === 'add' && typeof path.at(-1) === 'string') return withValue(response, [...siblings, name], value)
  if (kind === 'double') return withValue(response, path, [structuredClone(value), value])
  return withValue(response, path, value)
}

describe.each(Object.entries(schemas))('normalize with the schema %s', (_name, schema) => {
  const zodSchema = toZod(schema)
  const complete = completeValue(schema) as object
  const similar = fc.array(anyChange, { maxLength: 6 }).map((changes) => changes.reduce(changed, complete))
  const response = fc.oneof({ weight: 9, arbitrary: similar }, { weight: 1, arbitrary: anyValue })

  function agreesWithZod(value: unknown): void {
    const normalized = structuredClone(value)
    const issues = normalize(schema, normalized)
    const parsed = z.safeParse(zodSchema, value)
    // `expect` is slow, and mistakes a field named `constructor` for the object's class.
    deepStrictEqual(paths(issues), paths(parsed.error?.issues ?? []))
    if (parsed.success) deepStrictEqual(normalized, parsed.data)
  }

  it('accepts a value with every field, and a value with only the required fields', () => {
    const required = normalize(schema, {}).map(({ path: [name] }) => name as string)

    expect(normalize(schema, structuredClone(complete))).toEqual([])
    expect(normalize(schema, Object.fromEntries(required.map((name) => [name, Reflect.get(complete, name)])))).toEqual(
      [],
    )
  })

  it('returns the same result as zod if any one field is missing or has a wrong value', () => {
    for (const path of pathsOf(complete)) {
      for (const value of oddValues) agreesWithZod(withValue(complete, path, value))
      agreesWithZod(without(complete, path))
    }
  })

  it('returns the same result as zod after random changes to a valid value', () => {
    fc.assert(fc.property(response, agreesWithZod))
  })
})

function paths(issues: readonly { readonly path: readonly PropertyKey[] }[]): string[] {
  return [...new Set(issues.map(({ path }) => path.join('.')))].sort()
}
