import { assertType, describe, expectTypeOf, it } from 'vitest'
import {
  type ApiError,
  type ApiVersion,
  type Call,
  createMemoryJournal,
  type Journal,
  type OperationRecord,
  type Operations,
  type Payment,
  PaymentsClient,
  type PaymentV21,
  type RecoverOptions,
} from '../src/index.js'

const keyAndUrl = { apiKey: 'key', baseUrl: 'https://payments.example.com' }

describe('client.operations', () => {
  const intent = { key: 'refund-1', operation: 'payments.refund', id: 'pay_1' } as const
  type Transaction = { run(sql: string): void }
  const journal = {} as Journal<Transaction>

  it('infers the transaction type of operations.plan from the journal', () => {
    const client = new PaymentsClient({ ...keyAndUrl, journal })
    expectTypeOf(client).toEqualTypeOf<PaymentsClient<'2021-09-27', Transaction>>()
    expectTypeOf(client.operations).toEqualTypeOf<Operations<'2021-09-27', Transaction>>()
    assertType<() => unknown>(() => client.operations.plan({} as Transaction, intent))
    assertType<object>({
      onSettled: (_: OperationRecord, transaction: Transaction) => transaction.run(''),
    } satisfies RecoverOptions<Transaction>)
    // @ts-expect-error No transaction.
    assertType<() => unknown>(() => client.operations.plan(undefined, intent))
    // @ts-expect-error The transaction of another library.
    assertType<() => unknown>(() => client.operations.plan({ query() {} }, intent))
    // @ts-expect-error Only the memory journal has no transactions.
    assertType<() => unknown>(() => client.operations.plan(intent))
  })

  it('accepts operations.plan without a transaction for the memory journal', () => {
    const client = new PaymentsClient({ ...keyAndUrl, journal: createMemoryJournal() })
    assertType<() => unknown>(() => client.operations.plan(intent))
    // @ts-expect-error The memory journal has no transactions.
    assertType<() => unknown>(() => client.operations.plan({}, intent))
  })

  it('keeps the journal’s transaction type in withOptions', () => {
    const client = new PaymentsClient({ ...keyAndUrl, journal }).withOptions({ timeout: 5 })
    expectTypeOf(client).toEqualTypeOf<PaymentsClient<'2021-09-27', Transaction>>()
  })
})

describe('new PaymentsClient', () => {
  it('infers the API version from the `apiVersion` option', () => {
    expectTypeOf(new PaymentsClient()).toEqualTypeOf<PaymentsClient<'2021-09-27'>>()
    expectTypeOf(new PaymentsClient(keyAndUrl)).toEqualTypeOf<PaymentsClient>()
    expectTypeOf(new PaymentsClient({ ...keyAndUrl, apiVersion: '2.1' })).toEqualTypeOf<PaymentsClient<'2.1'>>()
    expectTypeOf(new PaymentsClient({ ...keyAndUrl, apiVersion: '2021-09-27' })).toEqualTypeOf<PaymentsClient>()
  })

  it('uses the types of API version 2.1 for every version except 2021-09-27', () => {
    const client = new PaymentsClient({ ...keyAndUrl, apiVersion: '2099-01-01' })
    expectTypeOf(client.payments.get('pay_1')).resolves.toEqualTypeOf<PaymentV21>()
    assertType<ApiVersion>('2099-01-01')
  })
})

describe('client.withOptions', () => {
  const client = new PaymentsClient({ ...keyAndUrl, apiVersion: '2.1' })

  it('keeps the API version of the client unless apiVersion is passed', () => {
    expectTypeOf(client.withOptions({ timeout: 5 })).toEqualTypeOf<PaymentsClient<'2.1'>>()
    expectTypeOf(client.withOptions({ apiVersion: '2021-09-27' })).toEqualTypeOf<PaymentsClient>()
  })
})

describe('client.request', () => {
  const client = new PaymentsClient(keyAndUrl)

  it('resolves to its type argument, or to unknown by default', () => {
    expectTypeOf(client.request({ method: 'GET', path: '/reports' })).toEqualTypeOf<Call<unknown>>()
    expectTypeOf(client.request<{ id: string }>({ method: 'GET', path: '/reports' })).toEqualTypeOf<
      Call<{ id: string }>
    >()
    client.request(
      { method: 'POST', path: '/reports', body: { a: 1 }, query: { b: [1, 'c'] } },
      { idempotencyKey: 'k' },
    )
  })
})

describe('the promise returned by a call', () => {
  const client = new PaymentsClient(keyAndUrl)

  it('resolves to the resource, without a wrapper', () => {
    const call = client.payments.get('pay_1')
    expectTypeOf(call).toExtend<Promise<Payment>>()
    expectTypeOf(call.then(({ id }) => id)).resolves.toEqualTypeOf<string>()
    call.then(undefined, (error: ApiError) => error.httpStatus)
    call.catch((error: ApiError) => error.httpStatus)
  })
})
