import { assertType, describe, expectTypeOf, it } from 'vitest'
import type {
  LoyaltyCustomer,
  LoyaltyTransaction,
  LoyaltyTransactionType,
  Page,
  PaymentsClient,
} from '../../src/index.js'

declare const client: PaymentsClient
declare const newer: PaymentsClient<'2.1'>

const body = { connectionId: 'connection-1', customerId: 'member-1', orderId: 'order-17', value: 120 }

describe('the methods of client.loyalty', () => {
  it('take and return the same types in every API version', async () => {
    expectTypeOf(newer.loyalty).toEqualTypeOf(client.loyalty)
    expectTypeOf(client.loyalty.transactions.create(body)).resolves.toEqualTypeOf<LoyaltyTransaction>()
    expectTypeOf(client.loyalty.transactions.create({ ...body, type: 'REFUND' })).resolves.not.toBeAny()
    expectTypeOf(await client.loyalty.transactions.list()).toEqualTypeOf<Page<LoyaltyTransaction>>()
    for await (const row of client.loyalty.transactions.list({ limit: 5, offset: 10 })) {
      expectTypeOf(row).toEqualTypeOf<LoyaltyTransaction>()
    }
    const getting = client.loyalty.customers.get('member-1', { connectionId: 'connection-1' })
    expectTypeOf(getting).resolves.toEqualTypeOf<LoyaltyCustomer>()
  })

  it('reject a misspelled field', () => {
    // @ts-expect-error Misspelled.
    client.loyalty.transactions.create({ ...body, points: 120 })
    // @ts-expect-error The connection is required.
    client.loyalty.customers.get('member-1', {})
    // @ts-expect-error The connection is required.
    client.loyalty.customers.get('member-1')
    // @ts-expect-error This list uses offsets instead of cursors.
    client.loyalty.transactions.list({ cursor: 'two' })
  })

  it('reject a field of the wrong type', () => {
    // @ts-expect-error The field `value` is a number.
    client.loyalty.transactions.create({ ...body, value: '120' })
    // @ts-expect-error An offset is a number.
    client.loyalty.transactions.list({ offset: '10' })
    // @ts-expect-error An id is a string.
    client.loyalty.customers.get(1, { connectionId: 'connection-1' })
  })

  it('reject an unknown option', () => {
    // @ts-expect-error The operation takes no idempotency key.
    client.loyalty.transactions.create(body, { idempotencyKey: 'key-1' })
    // @ts-expect-error The operation does not take the option `resend`.
    client.loyalty.transactions.create(body, { resend: true })
  })

  it('accept unknown transaction types in responses', () => {
    assertType<LoyaltyTransactionType>('REDEMPTION')
    assertType<LoyaltyTransactionType>('SOMETHING_NEW')
    expectTypeOf<LoyaltyTransactionType>().not.toEqualTypeOf<string>()
  })
})
