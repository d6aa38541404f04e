import * as z from 'zod/mini'
import { rowOf, type Schema } from '../internal/schema.js'
import { deliveryShape, paymentRecord, tableRows } from './records.js'
import { effect, type SandboxSnapshot } from './store.js'

const key = z.string()
const balanceKey = key.check(z.refine(isBalanceKey, 'must be a JSON array of a connection and a customer'))
const tables: [name: string, Schema<unknown[]>][] = Object.entries(tableRows).map(([name, row]) => [
  name,
  z.array(z.tuple([name === 'loyaltyBalances' ? balanceKey : key, row as Schema])),
])

/** A snapshot of a sandbox, as `snapshot()` returns it. Parsing removes `null` from the service's objects. */
export const SnapshotSchema: Schema<SandboxSnapshot> = z.object({
  time: z.number(),
  drawn: z.int().check(z.gte(0, 'must be at least 0')),
  ledger: z.array(effect),
  store: z.object({ payments: z.array(paymentRecord), ...Object.fromEntries<Schema<unknown[]>>(tables) }),
  deliveries: z.optional(z.array(rowOf(deliveryShape))),
})

function isBalanceKey(json: string): boolean {
  try {
    const key: unknown[] = JSON.parse(json)
    return key.length === 2 && key.every((part) => typeof part === 'string')
  } catch {
    return false
  }
}
