import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import * as schemas from '../../../src/core/schemas/index.js'
import { pathsOf, withValue } from '../../support/response-paths.js'
import { createdSession, sessionV21 } from '../../support/responses/client-sessions.js'
import { deletedCard } from '../../support/responses/payment-instruments.js'
import {
  authorizedPayment,
  authorizedPaymentV21,
  declinedPayment,
  refundedPayment,
} from '../../support/responses/payments.js'

describe('the entry payments-client/schemas', () => {
  it.each(Object.entries<z.ZodMiniType>(schemas))('exports %s, which keeps unknown fields', (_name, schema) => {
    const required = z.safeParse(schema, {}).error?.issues ?? []
    const values: Record<string, unknown> = { id: 'pay_1', payment: { id: 'pay_1' } }
    const fields = required.map((issue) => {
      const [name] = issue.path as string[]
      const { values: literals } = issue as { values?: unknown[] }
      return [name, literals?.[0] ?? values[name as string] ?? 'text']
    })
    const response = { ...Object.fromEntries(fields), somethingNew: { a: null } }

    expect(z.parse(schema, response)).toEqual(response)
    expect(z.safeParse(schema, 'text').success).toBe(false)
  })

  it('exports schemas that read null as absent', () => {
    const { customerId, ...rest } = authorizedPayment

    expect(z.parse(schemas.PaymentSchema, { ...rest, customerId: null })).toEqual(rest)
  })

  it('exports schemas that report an invalid value’s path', () => {
    const result = z.safeParse(schemas.PaymentSchema, { id: 'pay_1', transactions: [{ amount: '5' }] })

    expect(result.error?.issues.map(({ path }) => path)).toEqual([['transactions', 0, 'amount']])
  })

  it('exports schemas that keep the parsed data unchanged', () => {
    const given = { id: 'pay_1', customerId: null, paymentMethod: { isVaulted: 'true' } }

    z.parse(schemas.PaymentSchema, given)

    expect(given).toEqual({ id: 'pay_1', customerId: null, paymentMethod: { isVaulted: 'true' } })
  })
})

type Schemas = typeof schemas

const ours: Schemas = { ...schemas }

const recorded: [keyof Schemas, object][] = [
  ['PaymentSchema', authorizedPayment],
  ['PaymentSchema', declinedPayment],
  ['PaymentSchema', refundedPayment],
  ['PaymentV21Schema', authorizedPaymentV21],
  ['CreatedClientSessionSchema', createdSession],
  ['ClientSessionV21Schema', sessionV21],
  ['PaymentInstrumentSchema', deletedCard],
]

const oddValues = [null, undefined, 'text', 'true', 0, 1.5, 2 ** 53, true, [], {}, [null], [{ id: 5 }]]

/** Returns a response, and its variants with one changed value. */
function variantsOf(response: object): object[] {
  const changed = pathsOf(response).flatMap((path) => oddValues.map((value) => withValue(response, path, value)))
  return [response, ...changed]
}

function outcomeOf(schema: z.ZodMiniType, value: unknown): unknown {
  const { data, error } = schema.safeParse(value)
  return error ? error.issues.map(({ path, code }) => ({ path, code })) : { data }
}

describe('the schemas in a runtime that forbids generated code', () => {
  let restricted: Schemas

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: ['src/core/schemas/index.ts'],
      bundle: true,
      format: 'iife',
      globalName: 'schemas',
      write: false,
    })
    const context = createContext({}, { codeGeneration: { strings: false, wasm: false } })
    runInContext(outputFiles[0]?.text as string, context)
    expect(() => runInContext('new Function("")', context)).toThrow(/Code generation from strings/)
    restricted = runInContext('schemas', context)
  })

  it.each(recorded)('%s returns the same data and issues as in other runtimes', (name, response) => {
    for (const value of variantsOf(response)) {
      expect(structuredClone(outcomeOf(restricted[name], value))).toEqual(outcomeOf(ours[name], value))
    }
  })
})

describe('z.compile', () => {
  it.each(recorded)('does not change the results of %s', (name, response) => {
    const compiled = z.compile(ours[name] as z.ZodMiniType)

    for (const value of variantsOf(response)) {
      expect(outcomeOf(compiled, value)).toEqual(outcomeOf(ours[name], value))
    }
  })
})
