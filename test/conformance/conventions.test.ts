import { expect, it } from 'vitest'
import { formatAmount, minorUnits, toDate } from '../../src/index.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService, startTime } from './service.js'

describeService('Conventions', (start) => {
  it('the service and the SDK exchange bodies as JSON', async () => {
    const { client, requests } = await start()
    const body = aPayment({ metadata: { note: 'Zoë “10 €”\n' } })

    const payment = await client.payments.create(body)

    expect(await requests[0]?.json()).toEqual(body)
    expect(payment.metadata).toEqual(body.metadata)
  })

  it('the SDK sends Content-Type only with a body', async () => {
    const { client, requests } = await start()

    const { id } = await client.payments.create(aPayment())
    await client.payments.get(id)

    expect(requests.map(({ headers }) => headers.get('content-type'))).toEqual(['application/json', null])
  })

  it('the SDK appends each request path to the base URL’s path', async () => {
    const { client, requests, carry } = await start()
    const { id } = await client.payments.create(aPayment())
    const baseUrl = 'https://gateway.example/eu/v2'
    const paths: string[] = []
    const gateway = client.withOptions({
      baseUrl,
      fetch: (url, init) => {
        paths.push(url.slice(baseUrl.length))
        return carry(new Request(new URL(paths.at(-1) as string, requests[0]?.url), init))
      },
    })

    const payment = await gateway.payments.get(id)
    await gateway.payments.list({ limit: 1 })

    expect(payment.id).toBe(id)
    expect(paths).toEqual([`/payments/${id}`, '/payments?limit=1'])
  })

  it('the SDK percent-encodes path parameters', async () => {
    const { client, requests } = await start()
    await client.observability.payments.create({ ...leastExternalPayment, paymentId: 'a/b ?ü' })

    const { paymentId } = await client.observability.payments.update('a/b ?ü', {})

    expect(paymentId).toBe('a/b ?ü')
    expect(new URL(requests[1]?.url ?? '').pathname).toBe('/observability/payments/a%2Fb%20%3F%C3%BC')
  })

  it('the service treats the amount 700 in euros as €7.00, and rejects fractions', async () => {
    const { client, ask } = await start()

    const payment = await client.payments.create(aPayment({ amount: minorUnits('7.00', 'EUR') }))
    const fraction = await refusal(client.payments.create(aPayment({ amount: 7.5 })))
    const asked = await ask('POST', '/payments', aPayment({ amount: 7.5 }))

    expect(payment.amount).toBe(700)
    expect(formatAmount(700, 'EUR')).toBe('€7.00')
    expect(fraction).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', issues: [{ path: ['amount'] }] })
    expect(asked).toMatchObject({ status: 400, fields: ['$.amount'] })
  })

  it('the service treats the amount 700 in yen as ¥700', async () => {
    const { client } = await start()

    const payment = await client.payments.create(aPayment({ currencyCode: 'JPY', amount: minorUnits('700', 'JPY') }))

    expect(payment).toMatchObject({ currencyCode: 'JPY', amount: 700 })
    expect(formatAmount(700, 'JPY')).toBe('¥700')
  })

  it('the service accepts only three-letter currency codes', async () => {
    const { client, ask } = await start()

    const payment = await client.payments.create(aPayment({ currencyCode: 'CHF' }))
    const name = await refusal(client.payments.create(aPayment({ currencyCode: 'EURO' })))
    const asked = await ask('POST', '/payments', aPayment({ currencyCode: 'EURO' }))

    expect(payment.currencyCode).toBe('CHF')
    expect(name).toMatchObject({ issues: [{ path: ['currencyCode'] }] })
    expect(asked).toMatchObject({ status: 400, fields: ['$.currencyCode'] })
  })

  it('the service accepts only two-letter country codes', async () => {
    const { client, ask } = await start()

    const payment = await client.payments.create(aPayment({ order: { countryCode: 'CH' } }))
    const three = await refusal(client.payments.create(aPayment({ order: { countryCode: 'CHE' } })))
    const asked = await ask('POST', '/payments', aPayment({ order: { countryCode: 'CHE' } }))

    expect(payment.order).toEqual({ countryCode: 'CH' })
    expect(three).toMatchObject({ issues: [{ path: ['order', 'countryCode'] }] })
    expect(asked).toMatchObject({ status: 400, fields: ['$.order.countryCode'] })
  })

  it('the service reads datetimes as UTC, with or without a time zone', async () => {
    const { client, requests } = await start()

    const { date = '', id } = await client.payments.create(aPayment())
    const { data } = await client.payments.list({ fromDate: startTime, toDate: '2026-01-31T12:00:00' })

    expect(toDate(date)).toEqual(startTime)
    expect(data.map((row) => row.id)).toEqual([id])
    expect(new URL(requests[1]?.url ?? '').searchParams.get('from_date')).toBe('2026-01-31T12:00:00.000Z')
  })

  it('the service accepts requests without any optional field', async () => {
    const { client, sandbox } = await start()
    const { clientToken } = await client.clientSessions.create()

    await client.clientSessions.update(clientToken, {})
    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(id, {})
    await client.payments.refund(id, {})
    await client.payments.list({})
    await client.paymentInstruments.vault(sandbox.tokens.card, { customerId: 'customer-1' })
    await client.observability.payments.create(leastExternalPayment)
    await client.observability.payments.update('external-1', {})
    await client.loyalty.transactions.list({})

    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual([
      'clientSessions.create',
      'clientSessions.update',
      'payments.create',
      'payments.capture',
      'payments.refund',
      'paymentInstruments.vault',
      'observability.payments.create',
      'observability.payments.update',
    ])
  })
})
