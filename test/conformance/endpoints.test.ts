import { expect, it } from 'vitest'
import { operations } from '../support/operations.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService } from './service.js'

const idempotencyKey = 'order-17-attempt-1'

describeService('Endpoints', (start) => {
  it('the service has exactly the 21 endpoints that the client uses', async () => {
    const { client, requests } = await start()
    const lines: string[] = []
    const observed = client.withOptions({ hooks: { onRequest: ({ method, path }) => lines.push(`${method} ${path}`) } })

    const answers = await Promise.all(
      operations.map(({ call }) =>
        Promise.resolve(call(observed)).then(
          () => undefined,
          (error) => error.errorId,
        ),
      ),
    )

    expect(lines.toSorted()).toEqual([
      'DELETE /payment-instruments/:paymentMethodToken',
      'GET /client-session',
      'GET /loyalty-customers/:id',
      'GET /loyalty-transactions',
      'GET /payment-instruments',
      'GET /payments',
      'GET /payments/:id',
      'PATCH /client-session',
      'PATCH /observability/payments/:paymentId',
      'POST /client-session',
      'POST /loyalty-transactions',
      'POST /observability/payments',
      'POST /payment-instruments/:paymentMethodToken/default',
      'POST /payment-instruments/:paymentMethodToken/vault',
      'POST /payments',
      'POST /payments/:id/adjust-authorization',
      'POST /payments/:id/authorize',
      'POST /payments/:id/cancel',
      'POST /payments/:id/capture',
      'POST /payments/:id/refund',
      'POST /payments/:id/resume',
    ])
    expect(requests.map(({ method, url }) => `${method} ${url.replace(/^https?:..[^/]+/, '')}`).toSorted()).toEqual(
      operations.map(({ line }) => line).toSorted(),
    )
    expect(answers).not.toContain('RouteNotFound')
  })

  it('the service accepts only JSON objects as bodies', async () => {
    const { client, ask } = await start()
    const { id } = await client.payments.create(aPayment())

    const answers = [
      await ask('POST', '/payments', [aPayment()]),
      await ask('POST', `/payments/${id}/capture`, 'everything'),
      await ask('POST', '/client-session', 17),
      await ask('PATCH', '/client-session', null),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect((await client.payments.get(id)).status).toBe('AUTHORIZED')
  })
})

describeService('Idempotency header', (start) => {
  it('the service performs a request without an idempotency key', async () => {
    const { client, requests } = await start()
    const without = client.withOptions({ idempotency: 'off' })

    const one = await without.payments.create(aPayment())
    const other = await without.payments.create(aPayment())

    expect(requests.map(({ headers }) => headers.has('x-idempotency-key'))).toEqual([false, false])
    expect(other.id).not.toBe(one.id)
  })

  it('the service performs a request only once per idempotency key', async () => {
    const { client, sandbox } = await start()

    const first = await client.payments.create(aPayment(), { idempotencyKey })
    expect(await client.payments.create(aPayment(), { idempotencyKey })).toEqual(first)
    expect(sandbox.ledger).toMatchObject([{ operation: 'payments.create', idempotencyKey }])
  })

  it('the SDK sends an idempotency key for exactly five operations', async () => {
    const { client, sandbox, requests } = await start()
    const { pending, card } = sandbox.tokens
    const create = (paymentMethodToken: string) => client.payments.create(aPayment({ paymentMethodToken }))
    const [one, two] = [await create(pending), await create(card)]
    const processor = { processorMerchantId: 'merchant-b' }
    const twice = async (act: () => PromiseLike<unknown>) => expect(await act()).toEqual(await act())
    const effects = sandbox.ledger.length

    await twice(() => client.payments.create(aPayment(), { idempotencyKey }))
    await twice(() => client.payments.authorize(one.id, { processor }, { idempotencyKey }))
    await twice(() => client.payments.cancel(one.id, {}, { idempotencyKey }))
    await twice(() => client.payments.capture(two.id, { amount: 100 }, { idempotencyKey }))
    await twice(() => client.payments.refund(two.id, { amount: 10 }, { idempotencyKey }))
    const asked = requests.length
    await Promise.all(operations.map(({ call }) => Promise.resolve(call(client)).catch(() => {})))

    expect(sandbox.ledger.slice(effects, effects + 5).map(({ operation }) => operation)).toEqual([
      'payments.create',
      'payments.authorize',
      'payments.cancel',
      'payments.capture',
      'payments.refund',
    ])
    const keyed = requests.slice(asked).filter(({ headers }) => headers.has('x-idempotency-key'))
    expect(keyed.map(({ url }) => url.split('/').at(-1)).toSorted()).toEqual([
      'authorize',
      'cancel',
      'capture',
      'payments',
      'refund',
    ])
  })
})

describeService('GET /payments/:id', (start) => {
  it('the service returns a payment by its id, and responds 404 to an unknown id', async () => {
    const { client } = await start()
    const payment = await client.payments.create(aPayment())

    const found = await client.payments.get(payment.id)
    const missing = await refusal(client.payments.get('pay_unknown'))

    expect(found).toEqual(payment)
    expect(missing).toMatchObject({ httpStatus: 404, outcome: 'rejected' })
  })
})
