import assert from 'node:assert/strict'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as schemas from '../../../src/core/schemas/index.js'
import { pathsOf, withValue } from '../../support/response-paths.js'
import { createdSession, sessionV21 } from '../../support/responses/client-sessions.js'
import { authorizedPayment, authorizedPaymentV21 } from '../../support/responses/payments.js'

type Schemas = typeof schemas

const ours: Schemas = { ...schemas }
const all = Object.entries<z.ZodObject>(ours)

const literals: Record<string, string> = {
  PaymentStatusEventSchema: 'PAYMENT.STATUS',
  PaymentRefundEventSchema: 'PAYMENT.REFUND',
  DisputeStatusEventSchema: 'DISPUTE.STATUS',
}

/** Returns an object with only the fields that a schema requires. */
function leastFor(name: string, schema: z.ZodObject): Record<string, unknown> {
  const values = { eventType: literals[name], payment: { id: 'pay_1' } } as Record<string, unknown>
  return Object.fromEntries(requiredNames(schema).map((field) => [field, values[field] ?? 'text']))
}

const requiredNames = ({ shape }: z.ZodObject) =>
  Object.keys(shape).filter(
    (name) => !(shape[name] instanceof z.ZodOptional || shape[name] instanceof z.ZodExactOptional),
  )

const optionalNames = (schema: z.ZodObject) =>
  Object.keys(schema.shape).filter((name) => !requiredNames(schema).includes(name))

describe.each(all)('%s', (name, schema) => {
  const least = leastFor(name, schema)
  const nulls = Object.fromEntries(optionalNames(schema).map((field) => [field, null]))

  it('exports a plain zod object with a shape', () => {
    expect(schema).toBeInstanceOf(z.ZodObject)
    expect(Object.values(schema.shape).every((field) => field instanceof z.ZodType)).toBe(true)
  })

  it('keeps unknown fields', () => {
    const given = { ...least, somethingNew: { a: null } }

    expect(schema.parse(given)).toStrictEqual(given)
  })

  it('reads null in all optional fields as absent', async () => {
    expect(schema.parse({ ...least, ...nulls })).toStrictEqual(least)
    expect(await schema.parseAsync({ ...least, ...nulls })).toStrictEqual(least)
    expect(Object.keys(schema.parse({ ...least, ...nulls }))).toEqual(Object.keys(least))
  })

  it('accepts undefined in all optional fields', () => {
    const undefineds = Object.fromEntries(optionalNames(schema).map((field) => [field, undefined]))

    expect(schema.parse({ ...least, ...undefineds })).toEqual(least)
  })

  it('rejects null in required fields, and values that are not objects', () => {
    for (const field of requiredNames(schema)) expect(schema.safeParse({ ...least, [field]: null }).success).toBe(false)
    for (const value of ['text', 5, null, undefined, []]) expect(schema.safeParse(value).success).toBe(false)
  })

  it('supports extend, pick and partial, and still accepts null', () => {
    const extended = schema.extend({ attempt: z.int() })
    const mask = Object.fromEntries(Object.keys(schema.shape).map((field) => [field, true])) as Record<string, true>

    expect(extended.parse({ ...least, ...nulls, attempt: 1 })).toEqual({ ...least, attempt: 1 })
    expect(extended.safeParse({ ...least, ...nulls }).success).toBe(false)
    expect(schema.pick(mask).parse({ ...least, ...nulls })).toEqual(least)
    expect(schema.partial().parse(nulls)).toEqual({})
  })

  it('supports nesting in objects and arrays', () => {
    const given = { ...least, ...nulls }

    expect(z.object({ value: schema }).parse({ value: given })).toStrictEqual({ value: least })
    expect(z.array(schema).parse([given, least])).toStrictEqual([least, least])
    expect(schema.optional().parse(undefined)).toBeUndefined()
  })

  it.each(['input', 'output'] as const)('supports conversion to a JSON Schema of its %s', (io) => {
    const { type, properties, required = [] } = z.toJSONSchema(schema, { io })

    expect(type).toBe('object')
    expect(Object.keys(properties ?? {})).toEqual(Object.keys(schema.shape))
    expect(required).toEqual(requiredNames(schema))
  })

  it('reports at most 1,000 issues of an array', () => {
    const { error } = z.array(schema).safeParse(Array.from({ length: 1_500 }, () => 5))

    expect(error?.issues).toHaveLength(1_000)
    expect(error?.issues.at(-1)?.path).toEqual([999])
  })
})

describe('the entry payments-client/schemas', () => {
  it('exports events that a discriminated union distinguishes', () => {
    const event = z.discriminatedUnion('eventType', [
      schemas.PaymentStatusEventSchema,
      schemas.PaymentRefundEventSchema,
      schemas.DisputeStatusEventSchema,
    ])

    for (const eventType of ['PAYMENT.STATUS', 'PAYMENT.REFUND', 'DISPUTE.STATUS']) {
      const given = { eventType, payment: { id: 'pay_1', customerId: null } }
      expect(event.parse(given)).toMatchObject({ eventType })
    }
    expect(event.safeParse({ eventType: 'PAYMENT.STATUS' }).success).toBe(false)
    expect(event.safeParse({ eventType: 'OTHER' }).success).toBe(false)
  })

  it('exports schemas whose nested objects are schemas too', () => {
    expect(schemas.PaymentSchema.shape.processor.unwrap().shape.amountCaptured.parse(5)).toBe(5)
    expect(schemas.PaymentSchema.shape.transactions.unwrap().element.pick({ amount: true }).parse({})).toEqual({})
  })

  it('exports schemas that remove null at every depth, also from maps', () => {
    const given = {
      order: { lineItems: [{ amount: null }], fees: null },
      paymentMethod: { options: { PAYMENT_CARD: { surcharge: null, other: null }, PAYPAL: null } },
    }

    expect(schemas.ClientSessionSchema.parse(given)).toStrictEqual({
      order: { lineItems: [{}] },
      paymentMethod: { options: { PAYMENT_CARD: { other: null } } },
    })
  })

  it('exports schemas that report an invalid value’s path', () => {
    const result = schemas.PaymentSchema.safeParse({ id: 'pay_1', transactions: [{ amount: '5' }] })

    expect(result.error?.issues.map(({ path }) => path)).toEqual([['transactions', 0, 'amount']])
  })

  it('exports schemas that keep the parsed data unchanged', () => {
    const given = { id: 'pay_1', customerId: null, paymentMethod: { isVaulted: 'true' } }

    expect(schemas.PaymentSchema.parse(given).paymentMethod?.isVaulted).toBe(true)
    expect(given).toEqual({ id: 'pay_1', customerId: null, paymentMethod: { isVaulted: 'true' } })
  })
})

const recorded: [keyof Schemas, object][] = [
  ['PaymentSchema', authorizedPayment],
  ['PaymentV21Schema', authorizedPaymentV21],
  ['CreatedClientSessionSchema', createdSession],
  ['ClientSessionV21Schema', sessionV21],
]

const oddValues = [null, undefined, 'true', 1.5, 2 ** 53, {}, [null]]

/** Returns a response, and its variants with one changed value. */
function variantsOf(response: object): object[] {
  const changed = pathsOf(response).flatMap((path) => oddValues.map((value) => withValue(response, path, value)))
  return [response, ...changed]
}

/** Returns the parsed data or the issues of each value. */
function outcomesOf(schema: z.ZodType, values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    const { data, error } = schema.safeParse(value)
    return error ? error.issues.map(({ path, code }) => ({ path, code })) : { data }
  })
}

/** Programs that load the schemas in a context of their own. */
const programs: Record<string, { first: string; generatesCode: boolean }> = {
  'a runtime that forbids generated code': { first: '', generatesCode: false },
  "a program that imports 'zod/compile'": { first: "import 'zod/compile'", generatesCode: true },
}

describe.each(Object.entries(programs))('the schemas in %s', (_name, { first, generatesCode }) => {
  let theirs: Schemas

  beforeAll(async () => {
    const contents = `${first}\nexport * from './src/core/schemas/index.ts'`
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: '.' },
      bundle: true,
      format: 'iife',
      globalName: 'schemas',
      write: false,
    })
    const context = createContext({}, { codeGeneration: { strings: generatesCode, wasm: false } })
    runInContext(outputFiles[0]?.text as string, context)
    if (!generatesCode) expect(() => runInContext('new Function("")', context)).toThrow(/Code generation from strings/)
    theirs = runInContext('schemas', context)
  })

  it.each(recorded)('%s returns the same data and issues as in Node', (name, response) => {
    const variants = variantsOf(response)
    assert.deepEqual(structuredClone(outcomesOf(theirs[name], variants)), outcomesOf(ours[name], variants))
  })
})

describe('z.compile', () => {
  it.each(recorded)('returns the same results for a compiled schema of %s', (name, response) => {
    const compiled = z.compile(ours[name] as z.ZodType)
    const variants = variantsOf(response)

    assert.deepEqual(outcomesOf(compiled, variants), outcomesOf(ours[name], variants))
  })
})
