import { expect, it } from 'vitest'
import type { MetadataInput } from '../../src/core/schemas/json.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService } from './service.js'

describeService('Limits', (start) => {
  it('the service returns at most 100 payments per page', async () => {
    const { client, ask } = await start()
    await Promise.all(Array.from({ length: 101 }, () => client.payments.create(aPayment())))

    const page = await client.payments.list()
    const asked = await ask('GET', '/payments?limit=101')

    expect(page.data).toHaveLength(100)
    expect(page.hasNextPage).toBe(true)
    expect(asked).toMatchObject({ status: 400, fields: ['$.limit'] })
  })

  it('the service accepts a client token until 24 hours after its creation', async () => {
    const { client, sandbox } = await start()
    const { clientToken } = await client.clientSessions.create({ orderId: 'order-17' })

    await sandbox.clock.advance('23h')
    const session = await client.clientSessions.get(clientToken)
    await sandbox.clock.advance('1h')

    expect(session.orderId).toBe('order-17')
    expect(await refusal(client.clientSessions.get(clientToken))).toMatchObject({ outcome: 'rejected' })
    expect(await refusal(client.clientSessions.update(clientToken, {}))).toMatchObject({ outcome: 'rejected' })
  })

  it('the service accepts the amount 0 and rejects negative amounts', async () => {
    const { client, ask } = await start()

    const amounts = [
      await client.payments.create(aPayment({ amount: 0 })),
      await client.observability.payments.create({ ...leastExternalPayment, amount: 0 }),
    ].map(({ amount }) => amount)
    const asked = [
      await ask('POST', '/payments', aPayment({ amount: -1 })),
      await ask('POST', '/observability/payments', { ...leastExternalPayment, amount: -1 }),
    ]

    expect(amounts).toEqual([0, 0])
    expect(asked).toMatchObject(Array(2).fill({ status: 400, fields: ['$.amount'] }))
  })

  it('the service accepts only strings and integers as metadata values', async () => {
    const { client, ask } = await start()
    const good = { basket: 'b-1', visits: 3, note: '' }
    const bad = [{ isGuest: true }, { weight: 1.5 }, { note: null }, { nested: {} }] as unknown as MetadataInput[]

    const kept = [
      await client.payments.create(aPayment({ metadata: good })),
      await client.clientSessions.create({ metadata: good }),
      await client.observability.payments.create({ ...leastExternalPayment, metadata: good }),
    ].map(({ metadata }) => metadata)
    const rejected = await Promise.all(
      bad.flatMap((metadata) => [
        refusal(client.payments.create(aPayment({ metadata }))).then(({ outcome }) => outcome),
        refusal(client.clientSessions.create({ metadata })).then(({ outcome }) => outcome),
        refusal(client.observability.payments.create({ ...leastExternalPayment, metadata })).then(
          ({ outcome }) => outcome,
        ),
        ask('POST', '/payments', aPayment({ metadata })).then(({ status }) => status),
        ask('POST', '/client-session', { metadata }).then(({ status }) => status),
        ask('POST', '/observability/payments', { ...leastExternalPayment, metadata }).then(({ status }) => status),
      ]),
    )

    expect(kept).toEqual(Array(3).fill(good))
    expect(rejected).toEqual(bad.flatMap(() => [...Array(3).fill('not_sent'), ...Array(3).fill(400)]))
  })
})
