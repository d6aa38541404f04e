import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import * as schemas from '../../src/schemas/index.js'
import { authorizedPayment } from '../support/responses/payments.js'

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

  it('exports schemas that report the path of an invalid value', () => {
    const result = z.safeParse(schemas.PaymentSchema, { id: 'pay_1', transactions: [{ amount: '5' }] })

    expect(result.error?.issues.map(({ path }) => path)).toEqual([['transactions', 0, 'amount']])
  })
})
