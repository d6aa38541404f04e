import { expect, it } from 'vitest'
import { latestRefund, type Payment, webhooks } from '../../src/index.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService, type Service, type Start, startTime } from './service.js'

const customerId = 'customer-1'

/** Starts a sandbox with a captured payment that has three pending refunds. */
async function startWithRefunds(start: Start) {
  const service = await start()
  const { id } = await service.client.payments.create(aPayment())
  await service.client.payments.capture(id)
  for (const amount of [100, 200, 300]) await service.client.payments.refund(id, { amount })
  const refundEvents = async () =>
    (await service.events()).flatMap((event) => (event.eventType === 'PAYMENT.REFUND' ? [event] : []))
  return { ...service, id, refundEvents }
}

async function causeEveryEvent({ client, sandbox }: Service) {
  const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.instantRefund }))
  await client.payments.capture(id)
  await client.payments.refund(id)
  sandbox.disputes.open(id)
  await sandbox.webhooks.flush()
}

describeService('Events', (start) => {
  it('the service sends each event as an HTTP request with a JSON body', async () => {
    const { client, sandbox } = await start()
    const received: unknown[] = []
    sandbox.webhooks.subscribe(async (request) => {
      received.push([request.method, request.headers.get('content-type'), await request.json()])
      return new Response()
    })

    const { id } = await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    expect(received).toEqual([
      ['POST', 'application/json', expect.objectContaining({ payment: expect.objectContaining({ id }) })],
    ])
  })

  it('the service retries a delivery until the receiver responds with 200', async () => {
    const { client, sandbox } = await start()
    const answers = [500, 302, 200]
    const bodies: string[] = []
    sandbox.webhooks.subscribe(async (request) => {
      bodies.push(await request.text())
      return new Response(null, { status: answers[bodies.length - 1] })
    })

    await client.payments.create(aPayment())
    await sandbox.clock.advance('24h')

    expect(bodies).toHaveLength(3)
    expect(new Set(bodies).size).toBe(1)
  })

  it('the service signs events of every type, and uses both secrets after a rotation', async () => {
    const service = await start()
    const { sandbox } = service
    const old = sandbox.webhooks.secret
    sandbox.webhooks.rotateSecret()

    await causeEveryEvent(service)

    const { deliveries, secret } = sandbox.webhooks
    const kinds = ['PAYMENT.STATUS', 'PAYMENT.STATUS', 'PAYMENT.REFUND', 'DISPUTE.STATUS']
    for (const known of [secret, old]) {
      expect(deliveries.map(({ body, headers }) => webhooks.verify(body, headers, known).eventType)).toEqual(kinds)
    }
    expect(deliveries.map(({ headers }) => Object.keys(headers))).toEqual(
      Array(4).fill(['X-Signature-Primary', 'X-Signature-Secondary']),
    )
  })

  it('the service sends the API version of the payload with each event', async () => {
    const service = await start()
    await causeEveryEvent(service)

    const versions = (await service.events()).map(({ version }) => version)

    expect(versions).toEqual(Array(4).fill('2021-09-27'))
  })
})

describeService('PAYMENT.STATUS', (start) => {
  it('the service sends an event for every status change', async () => {
    const { client, sandbox, statuses } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))
    sandbox.processor.authorize(id)
    await client.payments.capture(id, { amount: 1000 })

    await client.payments.capture(id, { amount: 1000 })
    await client.payments.refund(id)

    expect(await statuses()).toEqual(['PENDING', 'AUTHORIZED', 'SETTLED'])
  })

  it.each<[title: string, expected: (payment: Payment) => object]>([
    ['the service sends the full payment in an event', (payment) => ({ payment })],
    ['the service sends the event type PAYMENT.STATUS', () => ({ eventType: 'PAYMENT.STATUS' })],
    [
      'the service sends the webhook’s configuration in an event',
      () => ({ notificationConfig: { id: expect.any(String), description: expect.any(String) } }),
    ],
  ])('%s', async (_, expected) => {
    const { client, events } = await start()
    const body = aPayment({ customerId, metadata: { a: 1 }, order: { countryCode: 'DE' } })

    const payment = await client.payments.create(body)

    expect(await events()).toMatchObject([expected(payment)])
  })

  it('the service includes the time of sending in each event', async () => {
    const { client, events, sandbox } = await start()
    const { id } = await client.payments.create(aPayment())
    await sandbox.clock.advance('1m')
    await client.payments.cancel(id)

    expect(await events()).toMatchObject([
      { date: startTime.toISOString() },
      { date: new Date(startTime.getTime() + 60_000).toISOString() },
    ])
  })

  it('the service sends the payment’s fields and the saved token in an event', async () => {
    const { client, events, sandbox } = await start()
    const { token } = await client.paymentInstruments.vault(sandbox.tokens.declined, { customerId })
    await client.payments.create(aPayment({ paymentMethodToken: token, customerId, metadata: { a: 1 } }))

    const [event] = await events()

    const sale = {
      transactionType: 'SALE',
      processorTransactionId: expect.any(String),
      processorName: expect.any(String),
      processorMerchantId: expect.any(String),
      processorStatus: 'DECLINED',
      processorStatusReason: { message: expect.any(String) },
    }
    expect(event).toMatchObject({
      payment: {
        id: expect.any(String),
        date: expect.any(String),
        status: 'DECLINED',
        orderId: 'order-17',
        currencyCode: 'EUR',
        amount: 5000,
        customerId,
        metadata: { a: 1 },
        paymentMethod: { paymentMethodToken: token, vaultedPaymentMethodToken: token },
        processor: { name: expect.any(String) },
        statusReason: { message: expect.any(String) },
        transactions: [sale],
        riskData: { fraudCheck: { preAuthorizationResult: 'ACCEPT' } },
      },
    })
  })
})

describeService('PAYMENT.REFUND', (start) => {
  it('the service sends a refund event only after the refund’s status is final', async () => {
    const { sandbox, id, refundEvents } = await startWithRefunds(start)
    const before = await refundEvents()

    sandbox.processor.finishRefund(id, 'SETTLED')

    expect(before).toEqual([])
    expect(await refundEvents()).toMatchObject([{ payment: { id } }])
  })

  it('the service sends the same payment fields in refund events as in status events', async () => {
    const { sandbox, id, events } = await startWithRefunds(start)
    sandbox.processor.finishRefund(id, 'SETTLED')

    const sent = await events()

    expect(sent.map(({ eventType }) => eventType)).toEqual(['PAYMENT.STATUS', 'PAYMENT.STATUS', 'PAYMENT.REFUND'])
    expect(Object.keys(sent[2] ?? {})).toEqual(Object.keys(sent[1] ?? {}))
  })

  it('the service lists the refund as the most recent transaction of the payment', async () => {
    const { sandbox, id, refundEvents } = await startWithRefunds(start)
    for (const status of ['SETTLED', 'FAILED', 'SETTLED'] as const) sandbox.processor.finishRefund(id, status)

    const refunds = (await refundEvents()).map(({ payment }) => latestRefund(payment))

    expect(refunds.map((refund) => refund?.amount)).toEqual([100, 200, 300])
  })

  it('the event of a successful refund differs from the event of a failed refund', async () => {
    const { sandbox, id, refundEvents } = await startWithRefunds(start)
    sandbox.processor.finishRefund(id, 'SETTLED')
    sandbox.processor.finishRefund(id, 'FAILED')

    const sent = await refundEvents()

    const refunds = sent.map(({ payment }) => [
      latestRefund(payment)?.processorStatus,
      payment.processor?.amountRefunded,
    ])
    expect(refunds).toEqual([
      ['SETTLED', 600],
      ['FAILED', 400],
    ])
  })
})
