import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as event from '../../src/schemas/event.js'
import { brokenPath, type Guard } from '../../src/schemas/normalizer.js'
import * as payment from '../../src/schemas/payment.js'
import * as paymentsList from '../../src/schemas/payments-list.js'
import { check, type Schema } from '../../src/schemas/schema.js'
import { completeValue } from '../support/complete-value.js'
import { pathsOf, without, withValue } from '../support/response-paths.js'

// Properties make hundreds of runs.
vi.setConfig({ testTimeout: 30_000 })

type Guarded = Schema<unknown> & { readonly guard: Guard }

const guarded = Object.entries<unknown>({ ...event, ...payment, ...paymentsList }).filter(
  (entry): entry is [string, Guarded] => Object(entry[1]).guard !== undefined,
)

/** What may stand in a field, of the right type or of a wrong one. */
const oddValues = [
  ...[null, 'text', 'true', 'false', true, false],
  ...[0, 1.5, 2 ** 53 - 1, 2 ** 53, Number.POSITIVE_INFINITY],
  ...[[], {}, [null], [{}], { id: null }, { id: 'id' }],
]

const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddValues, '', -1, -(2 ** 53), 1e21, 'TRUE', '700', [[]], [{ id: 5 }]) },
  // A field named `__proto__` is the one difference: zod drops it, a guard leaves it, and neither changes a prototype.
  { weight: 1, arbitrary: fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__')) },
)

/** A change somewhere in an answer: `place` is counted off, whatever there is. */
const anyChange = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'double'),
  value: anyValue,
  name: fc.constantFrom('somethingNew', 'id', 'amount', 'constructor', 'toString', '0'),
})

type Change = typeof anyChange extends fc.Arbitrary<infer T> ? T : never

function changed(answer: object, { place, kind, value, name }: Change): object {
  const paths = pathsOf(answer)
  const path = paths[place % paths.length]
  if (path === undefined) return answer
  const neighbours = path.slice(0, -1)
  if (kind === 'remove') return without(answer, path)
  if (kind === 'add' && typeof path.at(-1) === 'string') return withValue(answer, [...neighbours, name], value)
  if (kind === 'double') return withValue(answer, path, [structuredClone(value), value])
  return withValue(answer, path, value)
}

describe.each(guarded)('the guard of %s', (_name, { guard, received }) => {
  const complete = completeValue(received) as object
  const fewChanges = fc.array(anyChange, { maxLength: 6 })
  const nearAnswer = fewChanges.map((changes) => changes.reduce(changed, complete))
  const answer = fc.oneof({ weight: 9, arbitrary: nearAnswer }, { weight: 1, arbitrary: anyValue })

  /** Says yes exactly where the schema does, and then makes the same of the answer. */
  function agreesOn(value: unknown): void {
    const guardedValue = structuredClone(value)
    const verdict = guard(guardedValue)
    const checked = check(received, value)
    if (verdict !== (checked.issues === undefined)) expect.unreachable(JSON.stringify({ verdict, value }))
    // Not `toStrictEqual`, which takes a field named `constructor` for the class of its object.
    if (checked.issues === undefined) deepStrictEqual(guardedValue, checked.value)
  }

  it('says yes to every field there is, and to as little as is required', () => {
    const least = check(received, {}).issues ?? []
    const required = Object.fromEntries(least.map(({ path: [name] }) => [name, Reflect.get(complete, name as string)]))

    expect([guard(structuredClone(complete)), guard(required)]).toEqual([true, true])
    expect([check(received, complete).issues, check(received, required).issues]).toEqual([undefined, undefined])
  })

  it('agrees with it on every odd value in every field, and on every field that is left out', () => {
    const paths = pathsOf(complete)

    for (const path of paths) for (const value of oddValues) agreesOn(withValue(complete, path, value))
    for (const path of paths) agreesOn(without(complete, path))

    expect(paths.length).toBeGreaterThan(20)
  })

  it('agrees with it on whatever is near an answer', () => {
    fc.assert(fc.property(answer, agreesOn), { numRuns: 1000 })
  })

  it('leaves what it refuses such that the schema finds the same wrong with it, and names one of the places', () => {
    fc.assert(
      fc.property(answer, (value) => {
        const guardedValue = structuredClone(value)
        fc.pre(!guard(guardedValue))

        const { issues = [] } = check(received, value)
        expect(check(received, guardedValue).issues).toEqual(issues)
        expect(issues.map(({ path }) => path)).toContainEqual(brokenPath(guard, guardedValue))
      }),
      { numRuns: 200 },
    )
  })
})

it('guards stand in for the schemas of what comes most often', () => {
  expect(guarded.map(([name]) => name).sort()).toEqual([
    'DisputeStatusEvent',
    'Payment',
    'PaymentRefundEvent',
    'PaymentStatusEvent',
    'PaymentV21',
    'PaymentsPage',
  ])
})
