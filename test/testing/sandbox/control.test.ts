import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentsClient } from '../../../src/client.js'
import type { Payment } from '../../../src/core/schemas/payment.js'
import { createSandbox } from '../../../src/testing/index.js'
import { startControl } from '../../support/control.js'
import { leastExternalPayment } from '../../support/external-payment.js'
import { aPayment } from '../../support/start-sandbox.js'

const at = '2026-01-31T12:00:00.000Z'

type Started = Awaited<ReturnType<typeof startControl>>

/** Sends a GET request, or a POST request if the path is an action. */
function request({ get, act }: Started, path: string, args?: unknown) {
  const [, action] = path.split('actions/')
  return action === undefined ? get(path) : act(action, args as object)
}

afterEach(() => {
  vi.useRealTimers()
})

describe('GET state', () => {
  it('lists payments with their history, newest first', async () => {
    const { client, get, sandbox } = await startControl()
    const first = await client.payments.create(aPayment())
    const second = await client.payments.create(aPayment({ paymentMethodToken: 'tok_pending' }))
    sandbox.processor.decline(second.id)

    const { status, headers, json } = await get('state')

    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(json).toEqual({
      data: [
        { payment: await client.payments.get(second.id), history: sandbox.history(second.id) },
        { payment: first, history: [{ status: 'AUTHORIZED', at }] },
      ],
    })
  })

  it.each([
    ['status=DECLINED,FAILED', ['order-30', 'order-12']],
    ['status=DECLINED&orderId=order-12', ['order-12']],
    ['status=DECLINED&orderId=order-1', []],
    ['search=ORDER', ['order-30', 'order-12', 'order-1']],
    ['search=order-1', ['order-1']],
    ['search=ada@', ['order-1']],
    ['search=12.34%20EUR', ['order-1']],
    ['search=order&status=DECLINED', ['order-12']],
    ['search=order-1&status=DECLINED', []],
    ['search=nothing', []],
  ])('returns the payments that match %s', async (query, orderIds) => {
    const { client, get } = await startControl()
    const customer = { emailAddress: 'Ada@example.com' }
    await client.payments.create(aPayment({ orderId: 'order-1', customer, amount: 1234 }))
    await client.payments.create(aPayment({ orderId: 'order-12', paymentMethodToken: 'tok_declined' }))
    const { id } = await client.payments.create(aPayment({ orderId: 'order-30', paymentMethodToken: 'tok_failed' }))

    const found = async (query: string) =>
      (await get(`state?${query}`)).json.data.map(({ payment }: { payment: Payment }) => payment.orderId)

    expect(await found(query)).toEqual(orderIds)
    expect(await found(`search=${id}`)).toEqual(['order-30'])
  })
})

describe('a control API list', () => {
  it.each(['state', 'state?search=order', 'state/sessions', 'requests', 'deliveries'])(
    'returns each row on exactly one page, even if rows are added: GET %s',
    async (path) => {
      const { client, get, sandbox } = await startControl()
      const addRows = async () => {
        await client.payments.create(aPayment())
        await client.clientSessions.create()
        await sandbox.webhooks.flush()
      }
      const page = async (query: string) => (await get(`${path}${path.includes('?') ? '&' : '?'}${query}`)).json
      for (let n = 0; n < 3; n++) await addRows()
      const all = (await page('limit=100')).data

      const found = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { data, nextCursor }: { data: object[]; nextCursor?: string } = await page(`limit=2${cursor}`)
        expect(data).not.toEqual([])
        found.push(...data)
        cursor = nextCursor && `&cursor=${nextCursor}`
        await addRows()
      }

      expect(all.length).toBeGreaterThan(2)
      expect(found).toEqual(all)
    },
  )

  it('returns 50 rows per page by default', async () => {
    const { get, sandbox } = await startControl()
    for (let n = 0; n < 51; n++) sandbox.faults.add({})

    expect((await get('state/faults')).json.data).toHaveLength(50)
  })
})

describe('GET state/:kind', () => {
  it('lists the items of each kind, newest first', async () => {
    const { client, get, sandbox } = await startControl()
    const { id } = await client.payments.create(aPayment())
    const { clientToken } = await client.clientSessions.create({ orderId: 'order-1' })
    await client.clientSessions.create({ orderId: 'order-2', order: { lineItems: [{ amount: 300, quantity: 2 }] } })
    const { token } = await client.paymentInstruments.vault('tok_card', { customerId: 'customer-1' })
    const external = await client.observability.payments.create(leastExternalPayment)
    sandbox.loyalty.setBalance('connection-1', 'customer-1', 300)
    const points = { connectionId: 'connection-1', customerId: 'customer-1', orderId: 'order-1', value: 100 }
    const transaction = await client.loyalty.transactions.create(points)
    const disputeId = sandbox.disputes.open(id)
    sandbox.faults.add({ times: Infinity, operation: 'payments.get', status: 503 })
    sandbox.faults.add({ at: 'after', body: (real) => real, times: 2 })
    sandbox.webhooks.subscribe('http://127.0.0.1:9/hooks', { hash: 'sha512' })

    const rowsOf = async (kind: string) => (await get(`state/${kind}`)).json.data

    expect(await rowsOf('sessions')).toEqual([
      expect.objectContaining({ session: expect.objectContaining({ orderId: 'order-2', amount: 600 }) }),
      { clientToken, expiresAt: '2026-02-01T12:00:00.000Z', session: { orderId: 'order-1' } },
    ])
    expect(await rowsOf('payment-instruments')).toMatchObject([{ token, customerId: 'customer-1' }])
    expect(await rowsOf('external-payments')).toEqual([JSON.parse(JSON.stringify(external))])
    expect(await rowsOf('loyalty')).toEqual([
      {
        connectionId: 'connection-1',
        customerId: 'customer-1',
        balance: 200,
        transactions: [JSON.parse(JSON.stringify(transaction))],
      },
    ])
    expect(await rowsOf('disputes')).toMatchObject([{ processorDisputeId: disputeId, paymentId: id, status: 'OPEN' }])
    expect(await rowsOf('faults')).toEqual([
      { id: 'fault_2', at: 'after', body: '[function]', times: 2 },
      { id: 'fault_1', at: 'before', operation: 'payments.get', status: 503, times: 'Infinity' },
    ])
    expect(await rowsOf('subscriptions')).toEqual([
      { url: 'http://127.0.0.1:9/hooks', hash: 'sha512' },
      { url: 'function', hash: 'sha256' },
    ])
  })
})

describe('GET payments/:id', () => {
  it('returns the payment’s statuses, requests, deliveries and disputes', async () => {
    const { client, get, sandbox } = await startControl()
    const { id } = await client.payments.create(aPayment(), { idempotencyKey: 'key-1' })
    const other = await client.payments.create(aPayment({ metadata: { previous: id } }))
    await client.payments.list()
    await client.payments.capture(id)
    const disputeId = sandbox.disputes.open(id)
    sandbox.disputes.open(other.id)
    await sandbox.webhooks.flush()

    const { json } = await get(`payments/${id}`)

    const bodies = json.deliveries.map(({ body }: { body: string }) => JSON.parse(body))
    expect(Object.keys(json)).toEqual(['payment', 'history', 'requests', 'deliveries', 'disputes'])
    expect(json.payment).toMatchObject({ id, status: 'SETTLED' })
    expect(json.history).toEqual(sandbox.history(id))
    expect(json.requests).toEqual([sandbox.requests[0], sandbox.requests[3]])
    expect(bodies.map((event: { eventType: string }) => event.eventType)).toEqual([
      'PAYMENT.STATUS',
      'PAYMENT.STATUS',
      'DISPUTE.STATUS',
    ])
    expect(json.disputes).toMatchObject([{ processorDisputeId: disputeId }])
  })

  it('returns all dispute events of the payment, oldest first', async () => {
    const { client, get, sandbox } = await startControl()
    const { id } = await client.payments.create(aPayment())
    const first = sandbox.disputes.open(id)
    await sandbox.clock.advance('1h')
    const second = sandbox.disputes.open(id, { reason: 'DUPLICATE' })
    await sandbox.clock.advance('1h')
    sandbox.disputes.move(first, 'WON')

    const { disputes } = (await get(`payments/${id}`)).json

    const facts = (events: Record<string, string>[]) =>
      events.map((event) => [event['processorDisputeId'], event['status']])
    expect(facts(disputes)).toEqual([
      [first, 'OPEN'],
      [second, 'OPEN'],
      [first, 'WON'],
    ])
    expect(facts((await get('state/disputes')).json.data)).toEqual([
      [second, 'OPEN'],
      [first, 'WON'],
    ])
  })

  it('returns requests with a lost response, and requests with a used key', async () => {
    const { client, get, sandbox } = await startControl()
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    const { id } = await client.payments.create(aPayment(), { idempotencyKey: 'key-1' })
    await client.payments.create(aPayment({ amount: 1 }), { idempotencyKey: 'key-1' }).catch(() => {})

    const { json } = await get(`payments/${id}`)

    const creations = json.requests.filter(({ operation }: { operation: string }) => operation === 'payments.create')
    expect(creations.map(({ status }: { status?: number }) => status)).toEqual([undefined, 200, 409])
  })
})

describe('GET requests, deliveries, ledger and clock', () => {
  it('returns requests and deliveries newest first, the ledger and the current time', async () => {
    const { client, get, sandbox } = await startControl()
    await client.payments.create(aPayment())
    await client.payments.list()
    await sandbox.webhooks.flush()

    const [requests, deliveries, ledger, clock] = await Promise.all(
      ['requests', 'deliveries', 'ledger', 'clock'].map(async (path) => (await get(path)).json),
    )

    expect(requests).toEqual({ data: [...sandbox.requests].reverse() })
    const { to: url, attempt: _, ...delivery } = sandbox.webhooks.deliveries[0]!
    expect(deliveries).toEqual({ data: [{ ...delivery, url }] })
    expect(ledger).toEqual({ data: sandbox.ledger })
    expect(clock).toEqual({ now: at })
  })

  it('returns one request or delivery by its id', async () => {
    const { client, get, sandbox } = await startControl()
    await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    for (const [path, code] of [
      ['requests', 'RequestNotFound'],
      ['deliveries', 'DeliveryNotFound'],
    ] as const) {
      const [row] = (await get(path)).json.data
      expect((await get(`${path}/${row.id}`)).json).toEqual(row)
      expect(await get(`${path}/unknown`)).toMatchObject({ status: 404, json: { error: { code } } })
    }
  })
})

describe('POST actions/:name', () => {
  it.each<
    [name: string, token: string, result: object, status: string, prepare?: (started: Started, id: string) => unknown]
  >([
    ['authorize', 'tok_pending', {}, 'AUTHORIZED'],
    ['decline', 'tok_pending', {}, 'DECLINED'],
    ['fail', 'tok_card', {}, 'FAILED'],
    ['settle', 'tok_slow_settlement', {}, 'SETTLED', ({ client }, id) => client.payments.capture(id)],
    ['completeAction', 'tok_requires3ds', { resumeToken: expect.stringMatching(/^resume_/) }, 'PENDING'],
  ])('changes a payment with %s', async (name, paymentMethodToken, result, expected, prepare) => {
    const started = await startControl()
    const { id } = await started.client.payments.create(aPayment({ paymentMethodToken }))
    await prepare?.(started, id)

    const { status, json } = await started.act(name, { paymentId: id })

    expect([status, json]).toEqual([200, result])
    const payment = await started.client.payments.get(id)
    expect(payment.status).toBe(expected)
    if (json.resumeToken) expect((await started.client.payments.resume(id, json)).status).toBe('AUTHORIZED')
  })

  it('adds a fault with every field that JSON can represent', async () => {
    const { act, client, get } = await startControl()
    const fault = {
      operation: 'payments.list',
      times: 'Infinity',
      at: 'after',
      status: 503,
      headers: { 'x-fault': '1' },
      body: { error: { description: 'overloaded' } },
      delay: 1,
    }
    const other = { operation: 'payments.get', body: 'text', times: 2, hang: false, reset: false }

    const added = [await act('addFault', fault), await act('addFault', other)]
    const { data } = (await get('state/faults')).json
    const error = await client.payments.list({}, { maxRetries: 0 }).catch((reason) => reason)
    await act('clearFaults')

    expect(added.map(({ json }) => json)).toEqual([{}, {}])
    expect(data).toEqual([
      { id: 'fault_2', at: 'before', ...other },
      { id: 'fault_1', ...fault },
    ])
    expect(error).toMatchObject({ httpStatus: 503, description: 'overloaded' })
    expect((await client.payments.list()).data).toEqual([])
  })

  it('starts, repeats and stops the webhooks to a URL', async () => {
    const { act, client, get, sandbox, url } = await startControl()
    const hooks = `${url}/hooks`

    await act('subscribe', { url: hooks })
    await act('subscribe', { url: hooks })
    await client.payments.create(aPayment())
    await sandbox.webhooks.flush()
    const { id } = (await get('deliveries')).json.data.find((delivery: { url: string }) => delivery.url === hooks)
    const redelivered = await act('redeliver', { id })
    const unsubscribed = await act('unsubscribe', { url: hooks })
    await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    expect([redelivered.json, unsubscribed.json]).toEqual([{}, {}])
    const sent = sandbox.webhooks.deliveries.filter(({ to }) => to === hooks)
    expect(sent.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 404],
      [2, 404],
    ])
  })

  it('reports whether a secret signed a delivery, for every hash function', async () => {
    const { act, client, sandbox } = await startControl()
    for (const hash of ['sha384', 'sha512'] as const) sandbox.webhooks.subscribe(() => new Response(), { hash })
    await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    const codes = await Promise.all(
      sandbox.webhooks.deliveries.map(async ({ id }) => {
        const secrets = [sandbox.webhooks.secret, ` ${sandbox.webhooks.secret}`, 'sig_of_another_receiver']
        const results = await Promise.all(secrets.map((secret) => act('checkSecret', { id, secret })))
        return results.map(({ json }) => [json.verified, json.code])
      }),
    )

    const expected = [
      [true, 'verified'],
      [false, 'secret-padded'],
      [false, 'no-match'],
    ]
    expect(codes).toEqual([expected, expected, expected])
  })

  it('restores an earlier snapshot after a reset', async () => {
    const { act, client, get } = await startControl()
    const { id } = await client.payments.create(aPayment())

    const snapshot = await act('snapshot')
    const reset = await act('reset')
    const empty = await Promise.all(['state', 'requests', 'deliveries', 'ledger', 'state/faults'].map(get))
    const restored = await act('restore', snapshot.json)

    expect([reset.json, restored.json]).toEqual([{}, {}])
    expect(empty.map(({ json }) => json)).toEqual(Array(5).fill({ data: [] }))
    expect((await get(`payments/${id}`)).json).toMatchObject({
      payment: { id },
      history: [{ status: 'AUTHORIZED', at }],
    })
  })
})

describe('GET options and POST actions/setOptions', () => {
  it('accepts an empty body for actions without arguments', async () => {
    const { send, sandbox } = await startControl()
    sandbox.faults.add({})

    const { status } = await send('actions/clearFaults', {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })

    expect(status).toBe(200)
    expect((await sandbox.fetch(`${sandbox.baseUrl}/nowhere`)).status).toBe(404)
  })

  it('reads and changes every option of createSandbox', async () => {
    const { act, client, get, sandbox } = await startControl()
    const before = (await get('options')).json
    const changes = {
      seed: 'seed-1',
      now: '2026-05-01T00:00:00.000Z',
      idempotency: 'conflict',
      sessionUpdate: 'replace',
    }

    const { status, json } = await act('setOptions', { ...changes, listDelay: '60s' })

    const { clientToken } = await client.clientSessions.create({ customer: { firstName: 'Ada', lastName: 'Lovelace' } })
    const session = await client.clientSessions.update(clientToken, { customer: { firstName: 'Grace' } })
    const create = () => client.payments.create(aPayment(), { idempotencyKey: 'key-1', maxRetries: 0 })
    const { date } = await create()
    const error = await create().catch((error) => error)
    const list = await client.payments.list()
    expect([status, json]).toEqual([200, {}])
    expect(before).toEqual({ now: at, listDelay: 0, idempotency: 'replay', sessionUpdate: 'merge' })
    expect((await get('options')).json).toEqual({ ...changes, listDelay: 60_000 })
    expect(sandbox.options).toEqual({ ...changes, now: new Date(changes.now), listDelay: 60_000 })
    expect(date).toMatch(/^2026-05-01T00:00:00/)
    expect(session.customer).toEqual({ firstName: 'Grace' })
    expect([error.errorId, list.data]).toEqual(['IdempotencyKeyAlreadyExists', []])
  })

  it('changes the seed of new ids, until a reset restores the original options', async () => {
    const { act, client, get, sandbox } = await startControl()
    const before = (await get('options')).json
    const empty = sandbox.snapshot()
    const idWith = async (seed: string) => {
      sandbox.restore(empty)
      await act('setOptions', { seed, now: '2030-01-01T00:00:00Z' })
      sandbox.restore(empty)
      return (await client.payments.create(aPayment())).id
    }

    const ids = [await idWith('a'), await idWith('a'), await idWith('b')]
    await act('reset')

    expect(ids.map((id) => id === ids[0])).toEqual([true, true, false])
    expect((await get('options')).json).toEqual(before)
  })

  it('stops a running clock, so that pending retries wait for advanceClock', async () => {
    const sandbox = createSandbox()
    const statuses = [500]
    sandbox.webhooks.subscribe(() => new Response(null, { status: statuses.shift() ?? 200 }))
    await new PaymentsClient(sandbox.clientOptions()).payments.create(aPayment())
    await sandbox.webhooks.flush()
    const now = new Date(Date.now() + 1000)

    sandbox.setOptions({ now })
    const stopped = sandbox.clock.now()
    await sandbox.clock.advance('2m')

    expect(stopped).toEqual(now)
    expect(sandbox.webhooks.deliveries.map(({ status }) => status)).toEqual([500, 200])
    expect(() => sandbox.setOptions({ idempotencyy: 'replay' } as never)).toThrow(
      'Invalid options for setOptions: idempotencyy is not an option: did you mean "idempotency"?',
    )
  })
})

describe('a control API error', () => {
  it.each<[message: string, path: string, args?: unknown]>([
    ['Invalid arguments for settle: paymentId must be a non-empty string', 'actions/settle', {}],
    ['paymentID is not an argument: did you mean "paymentId"?', 'actions/settle', { paymentID: 'pay_1' }],
    ['paymentId must be a non-empty string', 'actions/settle', { paymentId: 5 }],
    ['the value must be an object of arguments', 'actions/settle', []],
    ["status must be 'SETTLED' or 'FAILED'", 'actions/finishRefund', { paymentId: 'pay_1', status: 'PENDING' }],
    ["by must be milliseconds or a string such as '24h'", 'actions/advanceClock', { by: '1 day' }],
    ['A fault can either hang or reset the connection', 'actions/addFault', { hang: true, reset: true }],
    ['url must be an http or https URL without credentials', 'actions/subscribe', { url: 'http://user:pw@127.0.0.1/' }],
    ['now must be a date and time in ISO 8601', 'actions/setOptions', { now: 'yesterday' }],
    ['now must be in the years 1 to 9999', 'actions/setOptions', { now: '+010000-01-01T00:00:00Z' }],
    ['The value is not a snapshot of a sandbox: version must be 1', 'actions/restore', { snapshot: {} }],
    ['__proto__ is not an argument', 'actions/reset', JSON.parse('{"__proto__":{}}')],
    ['limit must be an integer from 1 to 100', 'state?limit=101'],
    ['limit must be an integer from 1 to 100', 'requests?limit=ten'],
    ['state is not a parameter: did you mean "status"?', 'state?state=SETTLED'],
    ['limit is not a parameter', 'ledger?limit=1'],
    ['cursor is not from this list, or its row was removed', 'requests?cursor=request_unknown'],
    ['The path is not properly encoded', 'payments/%E0'],
  ])('responds 400 with the message %s: %s', async (message, path, args) => {
    const { status, json } = await request(await startControl(), path, args)

    expect([status, json.error.code]).toEqual([400, 'InvalidArguments'])
    expect(json.error.message).toContain(message)
    expect(Object.keys(json)).toEqual(['error'])
    expect(Object.keys(json.error)).toEqual(['code', 'message'])
  })

  it('responds 400 to a body that is not JSON', async () => {
    const { send } = await startControl()
    const headers = { 'content-type': 'application/json' }

    const { status, json } = await send('actions/reset', { method: 'POST', headers, body: '{' })

    expect([status, json.error.message]).toEqual([400, 'The body is not JSON'])
  })

  it.each<[code: string, path: string, args?: object]>([
    ['RouteNotFound', ''],
    ['RouteNotFound', 'states'],
    ['RouteNotFound', 'payments/pay_1/requests'],
    ['PaymentNotFound', 'payments/pay_unknown'],
    ['ActionNotFound', 'actions/constructor'],
    ['PaymentNotFound', 'actions/settle', { paymentId: 'pay_unknown' }],
    ['DisputeNotFound', 'actions/moveDispute', { disputeId: 'dispute_unknown', status: 'WON' }],
    ['DeliveryNotFound', 'actions/redeliver', { id: 'delivery_unknown' }],
    ['ApiKeyNotFound', 'actions/revokeApiKey', { apiKey: 'key_unknown' }],
    ['ClientSessionNotFound', 'actions/tokenize', { clientToken: 'client_unknown' }],
    ['SubscriptionNotFound', 'actions/unsubscribe', { url: 'http://127.0.0.1:9/' }],
  ])('responds 404 with the code %s: %s', async (code, path, args) => {
    expect(await request(await startControl(), path, args)).toMatchObject({ status: 404, json: { error: { code } } })
  })

  it.each([
    ['POST', 'state', 'GET'],
    ['DELETE', 'payments/pay_1', 'GET'],
    ['GET', 'actions/reset', 'POST'],
    ['OPTIONS', 'actions/reset', 'POST'],
  ])('responds 405 to %s %s', async (method, path, allow) => {
    const { send } = await startControl()

    const { status, headers, json } = await send(path, { method })

    expect([status, headers.allow, json.error.code]).toEqual([405, allow, 'MethodNotAllowed'])
  })

  it('suggests the name of the most similar action for an unknown one', async () => {
    const { status, json } = await request(await startControl(), 'actions/setle')

    const error = { code: 'ActionNotFound', message: 'There is no such action: did you mean "settle"?' }
    expect([status, json]).toEqual([404, { error }])
  })

  it('responds 409 to a change that the state does not allow', async () => {
    const { act, client, sandbox } = await startControl()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: 'tok_declined' }))
    await sandbox.webhooks.flush()
    sandbox.restore(sandbox.snapshot())

    const responses = await Promise.all([
      act('settle', { paymentId: id }),
      act('completeAction', { paymentId: id }),
      act('finishRefund', { paymentId: id, status: 'SETTLED' }),
      act('redeliver', { id: sandbox.webhooks.deliveries[0]?.id }),
    ])

    expect(responses.map(({ status, json }) => [status, json.error])).toEqual([
      [409, { code: 'InvalidPaymentStatus', message: expect.stringContaining('this payment is DECLINED') }],
      [409, { code: 'Conflict', message: 'The payment requires no action from the customer' }],
      [409, { code: 'Conflict', message: 'The payment has no pending refund' }],
      [409, { code: 'Conflict', message: expect.stringContaining('The subscriber was a function') }],
    ])
  })

  it('responds 413 to a body over 1 MiB, except for restore', async () => {
    const { act } = await startControl()
    const text = 'x'.repeat(1024 * 1024)

    const settled = await act('settle', { paymentId: text })
    const restored = await act('restore', { snapshot: { text } })

    expect([settled.status, settled.json.error.code]).toEqual([413, 'BodyTooLarge'])
    expect(restored.status).toBe(400)
  })

  it('performs no action if the client disconnects before sending the whole body', async () => {
    const { get, url, sandbox } = await startControl()
    sandbox.faults.add({})
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const head =
      'POST /__sandbox/api/actions/clearFaults HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    await new Promise<void>((resolve) => socket.write(`${head}Content-Length: 9\r\n\r\n{}`, () => resolve()))

    socket.resetAndDestroy()

    expect((await get('state/faults')).json.data).toHaveLength(1)
  })
})

describe('GET events', () => {
  it('streams each change with its id and type', async () => {
    const { act, client, stream } = await startControl()
    const events = await stream()

    const { id: paymentId } = await client.payments.create(aPayment())
    await act('advanceClock', { by: '1h' })

    const received = [await events.next(), await events.next(), await events.next()]
    const status = received.find(({ event }) => event === 'status')
    expect(events.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    expect(status).toEqual({
      id: expect.stringMatching(/^\d+$/),
      event: 'status',
      data: { type: 'status', at, paymentId, status: 'AUTHORIZED' },
    })
  })

  it('resumes after the event in Last-Event-ID', async () => {
    const { sandbox, stream } = await startControl()
    const events = await stream()
    for (const points of [1, 2, 3]) sandbox.loyalty.setBalance('connection-1', `customer-${points}`, points)
    const { id } = await events.next()

    const resumed = await stream({ 'last-event-id': id })

    const [second, third] = [await resumed.next(), await resumed.next()]
    expect([second.data.customerId, third.data.customerId]).toEqual(['customer-2', 'customer-3'])
    expect(Number(third.id)).toBe(Number(id) + 2)
  })

  it.each(['0', 'unknown', '99999999999999', '-1', '1.5'])(
    'starts with a reset event if the Last-Event-ID is unknown: %s',
    async (id) => {
      const { sandbox, stream } = await startControl()
      const events = await stream({ 'last-event-id': id })

      const first = await events.next()
      sandbox.loyalty.setBalance('connection-1', 'customer-1', 1)

      expect(first).toMatchObject({ event: 'reset', data: { type: 'reset', at } })
      expect(await events.next()).toMatchObject({ id: String(Number(first.id) + 1), event: 'loyalty' })
    },
  )

  it('sends a comment every 15 seconds to keep the connection open', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { stream } = await startControl()
    const events = await stream()

    vi.advanceTimersByTime(15_000)
    const comment = await events.nextBlock()
    vi.advanceTimersByTime(14_999)
    vi.advanceTimersByTime(1)

    expect([comment, await events.nextBlock()]).toEqual([':', ':'])
  })

  it('stops its timer when the client disconnects', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { url } = await startControl()
    const disconnect = new AbortController()
    await fetch(`${url}/__sandbox/api/events`, { signal: disconnect.signal })
    const whileOpen = vi.getTimerCount()

    disconnect.abort()

    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(whileOpen - 1))
  })
})
