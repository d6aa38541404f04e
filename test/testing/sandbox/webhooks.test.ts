import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentsClient } from '../../../src/client.js'
import {
  createSandbox,
  type Delivery,
  type Receiver,
  type SandboxOptions,
  type SubscribeOptions,
} from '../../../src/testing/index.js'
import { verify } from '../../../src/webhooks/index.js'
import { listen } from '../../support/listen.js'
import { closedPort } from '../../support/scripted-server.js'

const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

/** Starts a sandbox with a stopped clock. `pay` creates a payment, and `payAndFlush` also delivers its event. */
function startSandbox(options: SandboxOptions = { now: new Date('2026-03-01T12:00:00Z') }) {
  const sandbox = createSandbox({ seed: 1, ...options })
  const client = new PaymentsClient(sandbox.clientOptions())
  const pay = (token: string = sandbox.tokens.card) => client.payments.create({ ...order, paymentMethodToken: token })
  const payAndFlush = async () => {
    const payment = await pay()
    await sandbox.webhooks.flush()
    return payment
  }
  return { sandbox, client, pay, payAndFlush, webhooks: sandbox.webhooks }
}

/** Starts a sandbox with a subscriber, creates a payment, and delivers its event. */
async function deliverTo(receiver: Receiver, options?: SubscribeOptions) {
  const started = startSandbox()
  const { unsubscribe } = started.webhooks.subscribe(receiver, options)
  const { id } = await started.payAndFlush()
  return { ...started, id, unsubscribe }
}

/** Starts a sandbox with a subscriber that responds with these statuses and then 200, and records the received bodies. */
function startWithSubscriber(...statuses: number[]) {
  const started = startSandbox()
  const bodies: string[] = []
  started.webhooks.subscribe(async (request) => {
    bodies.push(await request.text())
    return new Response(null, { status: statuses.shift() ?? 200 })
  })
  /** Delivers the due events, and returns the payment statuses in all received events. */
  const receivedStatuses = async () => {
    await started.webhooks.flush()
    return bodies.map((body) => JSON.parse(body).payment.status)
  }
  return { ...started, bodies, receivedStatuses }
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('sandbox.webhooks', () => {
  it('lists every delivery attempt with its request and result', async () => {
    const { webhooks } = await deliverTo(() => new Response(null, { status: 202 }))

    expect(webhooks.deliveries).toEqual([
      {
        id: expect.stringMatching(/^delivery_[A-Za-z0-9]{20}$/),
        eventType: 'PAYMENT.STATUS',
        to: 'function',
        attempt: 1,
        at: '2026-03-01T12:00:00.000Z',
        status: 202,
        headers: { 'X-Signature-Primary': expect.any(String) },
        body: expect.stringContaining('"eventType":"PAYMENT.STATUS"'),
      },
    ])
  })

  it('sends events to each subscriber from its subscription until it unsubscribes', async () => {
    const { bodies, pay, receivedStatuses, webhooks } = startWithSubscriber()
    await pay()
    await receivedStatuses()
    const second = vi.fn(() => new Response())
    const subscription = webhooks.subscribe(second)

    await pay()
    await receivedStatuses()
    subscription.unsubscribe()
    await pay()
    await receivedStatuses()

    expect([bodies.length, second.mock.calls.length]).toEqual([3, 1])
  })

  it.each(['sha256', 'sha384', 'sha512'] as const)('signs with the hash function %s', async (hash) => {
    const { webhooks } = await deliverTo(() => new Response(), { hash })

    const { body, headers } = webhooks.deliveries[0] as Delivery
    expect(verify(body, headers, webhooks.secret, { hash })).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })

  it.each([
    ['not a url'],
    ['ftp://127.0.0.1/'],
    ['xhttp://127.0.0.1/'],
    ['http://user@127.0.0.1/'],
    ['http://:password@127.0.0.1/'],
    [undefined],
  ])('rejects the invalid receiver %j', (receiver) => {
    const { webhooks } = startSandbox()

    expect(() => webhooks.subscribe(receiver as string)).toThrow(
      new TypeError('The webhook receiver must be a function, or an http or https URL without credentials'),
    )
  })

  it.each(['http://127.0.0.1/', 'https://merchant.example/', new URL('https://merchant.example/')])(
    'accepts the URL %s as a receiver, but rejects invalid options',
    (receiver) => {
      const { webhooks } = startSandbox()
      const subscribe = (options: object) => () => webhooks.subscribe(receiver, options).unsubscribe()

      expect(subscribe({})).not.toThrow()
      expect(subscribe({ hsah: 'sha256' })).toThrow('hsah is not an option: did you mean "hash"?')
      expect(subscribe({ hash: 'sha265' })).toThrow(`hash must be 'sha256', 'sha384' or 'sha512'`)
    },
  )

  it('removes pending webhooks on reset, and keeps the subscribers', async () => {
    const { bodies, payAndFlush, sandbox, webhooks } = startWithSubscriber(500)
    const secret = webhooks.rotateSecret()
    await payAndFlush()

    sandbox.reset()
    await sandbox.clock.advance('23h')
    await payAndFlush()

    expect(bodies).toHaveLength(2)
    expect(webhooks.deliveries).toMatchObject([{ attempt: 1, status: 200 }])
    expect(Object.keys(webhooks.deliveries[0]!.headers)).toEqual(['X-Signature-Primary'])
    expect(webhooks.secret).toBe(secret)
  })
})

describe('the webhook retries of the sandbox', () => {
  it('sends the same bytes with increasing delays', async () => {
    const { bodies, pay, sandbox, webhooks } = startWithSubscriber(500, 404, 300)

    await pay()
    await sandbox.clock.advance('24h')

    expect(webhooks.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, 404],
      [3, 300],
      [4, 200],
    ])
    expect(new Set(bodies).size).toBe(1)
    for (const [index, minutes] of waitsOf(webhooks.deliveries).entries()) {
      expect(minutes).toBeGreaterThanOrEqual(2 ** index)
      expect(minutes).toBeLessThanOrEqual(2 ** index * 1.25)
    }
  })

  it('stops retrying after six attempts', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response(null, { status: 503 }))

    await pay()
    await sandbox.clock.advance('7d')

    expect(webhooks.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('keeps each payment’s events in order, without delaying other payments', async () => {
    const { client, pay, sandbox, webhooks } = startWithSubscriber(500)
    const first = await pay()
    const second = await pay()
    await client.payments.capture(first.id)
    await webhooks.flush()

    await sandbox.clock.advance('2m')

    expect(webhooks.deliveries.map(({ body }) => JSON.parse(body).payment)).toMatchObject([
      { id: first.id, status: 'AUTHORIZED' },
      { id: second.id, status: 'AUTHORIZED' },
      { id: first.id, status: 'AUTHORIZED' },
      { id: first.id, status: 'SETTLED' },
    ])
  })

  it('sends a dispute event only after the earlier events of its payment', async () => {
    const { client, payAndFlush, sandbox, webhooks } = startWithSubscriber(500)
    const { id } = await payAndFlush()

    await client.payments.capture(id)
    sandbox.disputes.open(id)
    await sandbox.clock.advance('2m')

    const eventTypes = webhooks.deliveries.map(({ eventType }) => eventType)
    expect(eventTypes).toEqual(['PAYMENT.STATUS', 'PAYMENT.STATUS', 'PAYMENT.STATUS', 'DISPUTE.STATUS'])
  })

  it.each([
    ['text', 'text'],
    [new Error('outer', { cause: 'inner' }), 'outer'],
    [undefined, 'undefined'],
    [
      new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
      'ECONNREFUSED',
    ],
    [new AggregateError([]), 'AggregateError'],
  ])('records the error that a subscriber function throws: %s', async (thrown, error) => {
    const { webhooks } = await deliverTo(() => {
      throw thrown
    })

    expect(webhooks.deliveries).toMatchObject([{ error }])
  })

  it('times out after ten seconds without a response', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { pay, webhooks } = startSandbox()
    const asked = new Promise<Request>((resolve) => {
      webhooks.subscribe((request) => {
        resolve(request)
        return new Promise(() => {})
      })
    })

    await pay()
    const { signal } = await asked
    await vi.advanceTimersByTimeAsync(9_999)
    const early = { ...webhooks.deliveries[0] }
    await vi.advanceTimersByTimeAsync(1)

    expect(early).not.toHaveProperty('error')
    expect(webhooks.deliveries).toMatchObject([{ error: 'no response within 10000 ms' }])
    expect(signal.aborted).toBe(true)
  })

  it.each([
    ['is stopped', { now: new Date('2026-03-01T12:00:00Z') }],
    ['runs', {}],
  ])('stops all timers after a successful delivery while the clock %s', async (_, options) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { payAndFlush, webhooks } = startSandbox(options)
    webhooks.subscribe(() => new Response())

    await payAndFlush()

    expect(webhooks.deliveries).toMatchObject([{ status: 200 }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stops retrying when the subscriber unsubscribes', async () => {
    const { sandbox, unsubscribe, webhooks } = await deliverTo(() => new Response(null, { status: 500 }))

    unsubscribe()
    await sandbox.clock.advance('24h')

    expect(webhooks.deliveries).toHaveLength(1)
  })
})

describe('sandbox.webhooks.redeliver', () => {
  it('sends the same body to the same subscriber with a new signature', async () => {
    const { bodies, payAndFlush, sandbox, webhooks } = startWithSubscriber()
    const second = vi.fn(() => new Response())
    webhooks.subscribe(second, { hash: 'sha512' })
    await payAndFlush()
    // Finds the second subscriber's delivery by its signature: only a SHA-512 signature is this long.
    const isSecond = ({ headers }: Delivery) => headers['X-Signature-Primary']?.length === 88
    const delivery = webhooks.deliveries.find(isSecond) as Delivery
    await sandbox.clock.advance('25h')
    const secret = webhooks.rotateSecret()
    await sandbox.clock.advance('25h')

    await webhooks.redeliver(delivery.id)

    const again = webhooks.deliveries[2] as Delivery
    expect([bodies.length, second.mock.calls.length]).toEqual([1, 2])
    expect(again).toMatchObject({ attempt: 2, body: delivery.body, at: '2026-03-03T14:00:00.000Z', status: 200 })
    expect(again.id).not.toBe(delivery.id)
    expect(verify(again.body, again.headers, secret, { hash: 'sha512' })).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })

  it.each([
    ['sends the payment’s later events after the redelivery succeeds', [500], ['AUTHORIZED', 'CANCELLED'], []],
    ['keeps the scheduled retry after the redelivery fails', [500, 500], ['AUTHORIZED'], ['AUTHORIZED', 'CANCELLED']],
  ])('%s', async (_, statuses, redelivered, retried) => {
    const { client, pay, receivedStatuses, sandbox, webhooks } = startWithSubscriber(...statuses)
    const { id } = await pay()
    await client.payments.cancel(id)
    const blocked = await receivedStatuses()

    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    const unblocked = await receivedStatuses()
    await sandbox.clock.advance('24h')

    expect(blocked).toEqual(['AUTHORIZED'])
    expect(unblocked).toEqual([...blocked, ...redelivered])
    expect(await receivedStatuses()).toEqual([...unblocked, ...retried])
  })

  it('makes only one attempt to redeliver', async () => {
    const { payAndFlush, sandbox, webhooks } = startWithSubscriber(200, 500)
    await payAndFlush()

    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    await sandbox.clock.advance('24h')

    expect(webhooks.deliveries.map((delivery) => delivery.status)).toEqual([200, 500])
  })

  it('rejects an unknown delivery, or one whose subscriber was a function', async () => {
    const { webhooks, sandbox } = await deliverTo(() => new Response())
    sandbox.restore(sandbox.snapshot())

    await expect(webhooks.redeliver('delivery_unknown')).rejects.toThrow('There is no delivery with this ID')
    await expect(webhooks.redeliver(webhooks.deliveries[0]!.id)).rejects.toThrow('The subscriber was a function')
  })
})

describe('the field responseBody of a delivery', () => {
  it('records at most 64 KiB of the receiver’s response', async () => {
    const { webhooks } = await deliverTo(() => new Response('x'.repeat(100_000)))

    expect(webhooks.deliveries[0]?.responseBody).toBe('x'.repeat(64 * 1024))
  })

  it('removes the responses of the oldest deliveries if all exceed the limit', async () => {
    const { payAndFlush, sandbox, webhooks } = await deliverTo(() => new Response('x'.repeat(64 * 1024)))
    const [delivery] = webhooks.deliveries as [Delivery]
    sandbox.restore({ ...sandbox.snapshot(), deliveries: Array(763).fill(delivery) })

    await payAndFlush()

    const hasBody = webhooks.deliveries.map(({ responseBody }) => responseBody !== undefined)
    expect(hasBody).toEqual([false, false, ...Array(762).fill(true)])
  })

  it('records the response without consuming the subscriber’s Response object', async () => {
    const response = new Response('accepted')
    const { payAndFlush, webhooks } = await deliverTo(() => response)

    await payAndFlush()

    expect(webhooks.deliveries.map(({ responseBody }) => responseBody)).toEqual(['accepted', 'accepted'])
    expect(await response.text()).toBe('accepted')
  })
})

describe('sandbox.webhooks.flush', () => {
  it('waits for events that receivers cause during the flush', async () => {
    const { client, payAndFlush, webhooks } = startSandbox()
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    webhooks.subscribe(async (request) => {
      const { payment } = (await request.json()) as { payment: { id: string; status: string } }
      await turns(5)
      if (payment.status === 'AUTHORIZED') await client.payments.capture(payment.id)
      return new Response()
    })
    webhooks.subscribe(async (request) => {
      const { payment } = (await request.json()) as { payment: { status: string } }
      await turns(payment.status === 'SETTLED' ? 50 : 0)
      return new Response()
    })

    await payAndFlush()

    expect(webhooks.deliveries).toMatchObject(Array(4).fill({ status: 200 }))
  })
})

describe('sandbox.webhooks.rotateSecret', () => {
  it('keeps signing with the old secret too after a snapshot is restored', async () => {
    const { payAndFlush, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response())
    const { secret } = webhooks
    webhooks.rotateSecret()

    sandbox.restore(sandbox.snapshot())
    await payAndFlush()

    const { body, headers } = webhooks.deliveries[0] as Delivery
    expect(verify(body, headers, secret)).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })
})

describe('the webhook faults of the sandbox', () => {
  it('delivers an event twice with the same bytes', async () => {
    const { bodies, pay, webhooks } = startWithSubscriber()

    webhooks.duplicateNext()
    await pay()
    await pay()
    await Promise.all([webhooks.flush(), webhooks.flush()])

    expect(bodies.map((body) => body === bodies[0])).toEqual([true, true, false])
    expect(webhooks.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
  })

  it('delivers the next two events of a payment in reverse order', async () => {
    const { client, pay, receivedStatuses, webhooks } = startWithSubscriber()

    webhooks.reorderNext()
    const { id } = await pay()
    await client.payments.capture(id)

    expect(await receivedStatuses()).toEqual(['SETTLED', 'AUTHORIZED'])
  })

  it('delivers a reordered event on flush() if no other event follows', async () => {
    const { pay, receivedStatuses, webhooks } = startWithSubscriber()

    webhooks.reorderNext()
    await pay()

    expect(webhooks.deliveries).toEqual([])
    expect(await receivedStatuses()).toEqual(['AUTHORIZED'])
  })

  it('delays an event until the clock advances', async () => {
    const { payAndFlush, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response())

    webhooks.delayNext('5m')
    await payAndFlush()
    await sandbox.clock.advance('4m')
    const before = webhooks.deliveries.length
    await sandbox.clock.advance('1m')

    expect(before).toBe(0)
    expect(webhooks.deliveries).toMatchObject([{ at: '2026-03-01T12:05:00.000Z', status: 200 }])
  })

  it('signs only an event’s first delivery with a wrong secret', async () => {
    const { pay, payAndFlush, sandbox, webhooks } = startSandbox()
    const hash = 'sha512'
    const isValid = ({ body, headers }: Delivery) => {
      try {
        return verify(body, headers, webhooks.secret, { hash }) !== undefined
      } catch {
        return false
      }
    }
    webhooks.subscribe(() => new Response(null, { status: isValid(webhooks.deliveries.at(-1)!) ? 200 : 400 }), { hash })

    webhooks.forgeNext()
    await pay()
    await payAndFlush()
    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    await sandbox.clock.advance('2m')

    const isFirst = ({ body }: Delivery) => body === webhooks.deliveries[0]!.body
    expect(webhooks.deliveries.filter(isFirst).map(isValid)).toEqual([false, true])
    expect(webhooks.deliveries.filter((delivery) => !isFirst(delivery)).map(isValid)).toEqual([true])
    expect(webhooks.deliveries.map(({ headers }) => headers['X-Signature-Primary']?.length)).toEqual([88, 88, 88])
  })
})

describe('sandbox.webhooks with a URL as subscriber', () => {
  async function listenWith(listener: RequestListener): Promise<string> {
    return `http://127.0.0.1:${await listen(createServer(listener))}/hooks?account=1`
  }

  /** Starts a webhook receiver. */
  async function startReceiver(respond: (body: string) => { status: number; location?: string }) {
    const received: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
    const url = await listenWith(async (request, response) => {
      const { method, url, headers } = request
      const body = Buffer.concat(await request.toArray()).toString()
      received.push({ method, url, headers, body })
      const { status, ...others } = respond(body)
      response.writeHead(status, others).end('a page')
    })
    return { received, url }
  }

  it('redelivers with the hash function of the current subscription after a restore', async () => {
    const { received, url } = await startReceiver(() => ({ status: 200 }))
    const { sandbox, unsubscribe, webhooks } = await deliverTo(url, { hash: 'sha512' })
    sandbox.restore(sandbox.snapshot())
    const { id, body } = webhooks.deliveries[0] as Delivery

    await webhooks.redeliver(id)
    unsubscribe()
    await webhooks.redeliver(id)

    expect(received.map((request) => request.body)).toEqual([body, body, body])
    for (const [index, hash] of (['sha512', 'sha512', 'sha256'] as const).entries()) {
      expect(verify(body, received[index]!.headers, webhooks.secret, { hash })).toBeDefined()
    }
  })

  it('posts signed JSON to the URL', async () => {
    const { received, url } = await startReceiver(() => ({ status: 200 }))
    const { id, webhooks } = await deliverTo(url)

    expect(received).toMatchObject([
      { method: 'POST', url: '/hooks?account=1', headers: { 'content-type': 'application/json' } },
    ])
    const event = verify(received[0]!.body, received[0]!.headers, webhooks.secret)
    expect(event).toMatchObject({ payment: { id } })
    expect(webhooks.deliveries).toMatchObject([{ to: url, status: 200, responseBody: 'a page' }])
  })

  it('accepts a 200 with an endless body, and disconnects after the timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { pay, webhooks } = startSandbox()
    const fetched = vi.spyOn(globalThis, 'fetch')
    const started = Promise.withResolvers<ServerResponse>()
    const url = await listenWith((_, response) => {
      started.resolve(response)
      response.writeHead(200).write('a response that never ends')
    })
    webhooks.subscribe(url)

    await pay()
    const disconnected = once(await started.promise, 'close')
    await fetched.mock.results[0]?.value
    await vi.advanceTimersByTimeAsync(10_000)
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ status: 200 }])
    await disconnected
  })

  it('does not follow redirects', async () => {
    const elsewhere = await startReceiver(() => ({ status: 200 }))
    const { url } = await startReceiver(() => ({ status: 307, location: elsewhere.url }))
    const { sandbox, webhooks } = await deliverTo(new URL(url))

    await sandbox.clock.advance('2m')

    expect(elsewhere.received).toEqual([])
    expect(webhooks.deliveries).toMatchObject([{ status: 307 }, { attempt: 2, status: 307 }])
  })

  it('retries after a refused connection', async () => {
    const { sandbox, webhooks } = await deliverTo(`http://127.0.0.1:${await closedPort()}/hooks`)

    await sandbox.clock.advance('2m')

    const refused = { error: expect.stringContaining('ECONNREFUSED') }
    expect(webhooks.deliveries).toMatchObject([refused, { ...refused, attempt: 2 }])
  })
})

/** Returns the minutes between attempts. */
function waitsOf(deliveries: readonly Delivery[]): number[] {
  const times = deliveries.map(({ at }) => Date.parse(at) / 60_000)
  return times.slice(1).map((time, index) => time - (times[index] as number))
}
