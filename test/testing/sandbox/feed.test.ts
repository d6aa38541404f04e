import { describe, expect, it } from 'vitest'
import type { Sandbox, SandboxEvent } from '../../../src/testing/index.js'
import { aPayment, startSandbox } from '../../support/start-sandbox.js'

/** Returns the sandbox events that occur during `work`. */
async function eventsDuring(sandbox: Sandbox, work: () => unknown): Promise<SandboxEvent[]> {
  const iterator = sandbox.events[Symbol.asyncIterator]()
  await work()
  sandbox.faults.clear()
  const events: SandboxEvent[] = []
  for (;;) {
    const { value } = await iterator.next()
    if (value.type === 'fault') return events
    events.push(value)
  }
}

const at = '2026-01-31T12:00:00.000Z'

describe('sandbox.events', () => {
  it('reports requests, statuses and deliveries with their ids', async () => {
    const { client, sandbox } = startSandbox()
    let paymentId = ''

    const events = await eventsDuring(sandbox, async () => {
      paymentId = (await client.payments.create(aPayment())).id
      await sandbox.webhooks.flush()
    })

    const requestId = sandbox.requests[0]!.id
    const deliveryId = sandbox.webhooks.deliveries[0]!.id
    const id = expect.any(Number)
    expect(events).toHaveLength(4)
    expect(events).toEqual(
      expect.arrayContaining([
        { id, type: 'status', at, paymentId, status: 'AUTHORIZED' },
        { id, type: 'request', at, requestId, paymentId },
        { id, type: 'delivery', at, deliveryId, paymentId },
      ]),
    )
  })

  it.each<[type: string, ids: object, work: (started: ReturnType<typeof startSandbox>) => unknown]>([
    ['session', { clientToken: expect.any(String) }, ({ client }) => client.clientSessions.create()],
    [
      'instrument',
      { token: expect.any(String) },
      ({ client }) => client.paymentInstruments.vault('tok_card', { customerId: 'customer-1' }),
    ],
    [
      'loyalty',
      { connectionId: 'connection-1', customerId: 'customer-1' },
      ({ sandbox }) => sandbox.loyalty.setBalance('connection-1', 'customer-1', 1),
    ],
    ['key', {}, ({ sandbox }) => sandbox.createApiKey({ scopes: [] })],
    ['key', {}, ({ sandbox }) => sandbox.webhooks.rotateSecret()],
    ['key', {}, ({ sandbox }) => sandbox.revokeApiKey(sandbox.apiKey)],
    ['clock', { now: '2026-01-31T13:00:00.000Z' }, ({ sandbox }) => sandbox.clock.advance('1h')],
    ['restore', {}, ({ sandbox }) => sandbox.restore(sandbox.snapshot())],
  ])('reports a change of type %s', async (type, ids, work) => {
    const started = startSandbox()

    const events = await eventsDuring(started.sandbox, () => work(started))

    expect(events.filter((event) => event.type === type)).toEqual([
      { id: expect.any(Number), type, at: expect.any(String), ...ids },
    ])
  })

  it('reports when a dispute is opened or changes its status', async () => {
    const { client, sandbox } = startSandbox()
    const { id: paymentId } = await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    const events = await eventsDuring(sandbox, () => sandbox.disputes.move(sandbox.disputes.open(paymentId), 'WON'))

    const dispute = { type: 'dispute', at, disputeId: expect.stringMatching(/^dispute_/), paymentId }
    expect(events.filter(({ type }) => type === 'dispute')).toMatchObject([
      { ...dispute, status: 'OPEN' },
      { ...dispute, status: 'WON' },
    ])
  })

  it('reports when a fault is added, applied or cleared, with increasing IDs', async () => {
    const { client, sandbox } = startSandbox()
    const iterator = sandbox.events[Symbol.asyncIterator]()

    sandbox.faults.add({ status: 503, headers: { 'retry-after': '0' } })
    await client.payments.list()
    sandbox.reset()
    await client.payments.list()

    const events = await Promise.all(Array.from({ length: 7 }, async () => (await iterator.next()).value))
    expect(events.map(({ id, type, faultId }) => [id - events[0].id, type, faultId])).toEqual([
      [0, 'fault', 'fault_1'],
      [1, 'fault', 'fault_1'],
      [2, 'request', undefined],
      [3, 'request', undefined],
      [4, 'fault', undefined],
      [5, 'reset', undefined],
      [6, 'request', undefined],
    ])
  })

  it('sends a reset event to a reader that is 10,000 events behind', async () => {
    const { sandbox } = startSandbox()
    const late = sandbox.events[Symbol.asyncIterator]()
    const inTime = sandbox.events[Symbol.asyncIterator]()
    // `late` stops after the first event, and `inTime` after the second.
    sandbox.faults.clear()
    await Promise.all([late.next(), inTime.next()])
    sandbox.faults.clear()
    await inTime.next()
    for (let n = 0; n < 10_000; n++) sandbox.loyalty.setBalance('connection-1', 'customer-1', n)

    const [behind, next] = [await late.next(), await inTime.next()]
    sandbox.faults.clear()

    expect([behind.value.type, next.value.type]).toEqual(['reset', 'loyalty'])
    expect((await late.next()).value).toMatchObject({ type: 'fault', id: behind.value.id + 1 })
  })
})
