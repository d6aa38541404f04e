import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox, type Delivery, type SandboxOptions } from '../../src/sandbox/index.js'
import { verify } from '../../src/webhooks/index.js'

const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

/** Starts a sandbox with a stopped clock. `pay` creates a payment. */
function startSandbox(options: SandboxOptions = { now: new Date('2026-03-01T12:00:00Z') }) {
  const sandbox = createSandbox({ seed: 1, ...options })
  const client = new PaymentsClient(sandbox.clientOptions())
  const pay = (token: string = sandbox.tokens.card) => client.payments.create({ ...order, paymentMethodToken: token })
  return { sandbox, client, pay, webhooks: sandbox.webhooks }
}

/** Creates a subscriber that responds with these statuses and then 200, and records the bodies that it receives. */
function subscriber(...statuses: number[]) {
  const bodies: string[] = []
  const receive = async (request: Request) => {
    bodies.push(await request.text())
    return new Response(null, { status: statuses.shift() ?? 200 })
  }
  return { bodies, receive, statusesSeen: () => bodies.map((body) => JSON.parse(body).payment.status) }
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('sandbox.webhooks', () => {
  it('lists every delivery attempt with its request and result', async () => {
    const { pay, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response(null, { status: 202 }))

    await pay()
    await webhooks.flush()

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

  it('sends events to every subscriber until it unsubscribes', async () => {
    const { pay, webhooks } = startSandbox()
    const first = subscriber()
    const second = subscriber()
    webhooks.subscribe(first.receive)
    const subscription = webhooks.subscribe(second.receive)

    await pay()
    await webhooks.flush()
    subscription.unsubscribe()
    await pay()
    await webhooks.flush()

    expect(first.bodies).toHaveLength(2)
    expect(second.bodies).toHaveLength(1)
  })

  it('does not send events that precede the subscription', async () => {
    const { pay, webhooks } = startSandbox()
    await pay()

    webhooks.subscribe(() => new Response())
    await webhooks.flush()

    expect(webhooks.deliveries).toEqual([])
  })

  it.each(['sha256', 'sha384', 'sha512'] as const)('signs with the hash %s', async (hash) => {
    const { pay, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response(), { hash })

    await pay()
    await webhooks.flush()

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
  ])('rejects the receiver %j', (receiver) => {
    const { webhooks } = startSandbox()

    expect(() => webhooks.subscribe(receiver as string)).toThrow(
      new TypeError('The webhook receiver must be a function, or an http or https URL without credentials'),
    )
  })

  it.each(['http://127.0.0.1/', 'https://merchant.example/', new URL('https://merchant.example/')])(
    'accepts the URL %s',
    (receiver) => {
      const { webhooks } = startSandbox()

      expect(() => webhooks.subscribe(receiver).unsubscribe()).not.toThrow()
    },
  )

  it.each([
    [{ hsah: 'sha256' }, 'hsah is not an option: did you mean "hash"?'],
    [{ hash: 'sha265' }, `hash must be 'sha256', 'sha384' or 'sha512'`],
  ])('rejects the options %j', (options, message) => {
    const { webhooks } = startSandbox()

    expect(() => webhooks.subscribe(() => new Response(), options as object)).toThrow(message)
  })

  it('removes pending webhooks on reset, and keeps the subscribers', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const receiver = subscriber(500)
    webhooks.subscribe(receiver.receive)
    const secret = webhooks.rotateSecret()
    await pay()
    await webhooks.flush()

    sandbox.reset()
    await sandbox.clock.advance('23h')
    await pay()
    await webhooks.flush()

    expect(receiver.bodies).toHaveLength(2)
    expect(webhooks.deliveries).toMatchObject([{ attempt: 1, status: 200 }])
    expect(Object.keys(webhooks.deliveries[0]!.headers)).toEqual(['X-Signature-Primary'])
    expect(webhooks.secret).toBe(secret)
  })
})

describe('the retries of sandbox.webhooks', () => {
  it('send the same bytes with increasing delays', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const receiver = subscriber(500, 404, 300)
    webhooks.subscribe(receiver.receive)

    await pay()
    await sandbox.clock.advance('24h')

    expect(webhooks.deliveries.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 500],
      [2, 404],
      [3, 300],
      [4, 200],
    ])
    expect(new Set(receiver.bodies).size).toBe(1)
    const minutes = waitsOf(webhooks.deliveries)
    expectWithin(minutes[0], 1, 1.25)
    expectWithin(minutes[1], 2, 2.5)
    expectWithin(minutes[2], 4, 5)
  })

  it('use delays that depend on the seed', async () => {
    const waitsWith = async (seed: number) => {
      const { pay, sandbox, webhooks } = startSandbox({ seed, now: new Date(0) })
      webhooks.subscribe(() => new Response(null, { status: 500 }))
      await pay()
      await sandbox.clock.advance('24h')
      return waitsOf(webhooks.deliveries)
    }

    const waits = await waitsWith(7)

    expect(await waitsWith(7)).toEqual(waits)
    expect(await waitsWith(8)).not.toEqual(waits)
  })

  it('end after six attempts', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response(null, { status: 503 }))

    await pay()
    await sandbox.clock.advance('7d')

    expect(webhooks.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('keep each payment’s events in order, without delaying other payments', async () => {
    const { client, pay, sandbox, webhooks } = startSandbox()
    const receiver = subscriber(500)
    webhooks.subscribe(receiver.receive)

    const first = await pay()
    const second = await pay()
    await client.payments.capture(first.id)
    await webhooks.flush()
    const beforeRetry = seen(webhooks.deliveries)
    await sandbox.clock.advance('2m')

    expect(beforeRetry).toEqual([
      [first.id, 'AUTHORIZED'],
      [second.id, 'AUTHORIZED'],
    ])
    expect(seen(webhooks.deliveries).slice(2)).toEqual([
      [first.id, 'AUTHORIZED'],
      [first.id, 'SETTLED'],
    ])
  })

  it('send a dispute after its payment’s events', async () => {
    const { client, pay, sandbox, webhooks } = startSandbox()
    const receiver = subscriber(500)
    webhooks.subscribe(receiver.receive)
    const { id } = await pay()
    await webhooks.flush()

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
  ])('record an error thrown by a subscriber function: %s', async (thrown, error) => {
    const { pay, webhooks } = startSandbox()
    webhooks.subscribe(() => {
      throw thrown
    })

    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ error }])
  })

  it('record an error if a subscriber function returns no Response', async () => {
    const { pay, webhooks } = startSandbox()
    webhooks.subscribe(() => undefined as never)

    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ error: expect.any(String) }])
  })

  it('time out after ten seconds without a response', async () => {
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
  ])('leave no timer after a delivery while the clock %s', async (_, options) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { pay, webhooks } = startSandbox(options)
    webhooks.subscribe(() => new Response())

    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ status: 200 }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stop when the subscriber unsubscribes', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const subscription = webhooks.subscribe(() => {
      subscription.unsubscribe()
      return new Response(null, { status: 500 })
    })

    await pay()
    await sandbox.clock.advance('24h')

    expect(webhooks.deliveries).toHaveLength(1)
  })
})

describe('sandbox.webhooks.redeliver', () => {
  it('sends the same body to the same subscriber with a new signature', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const first = subscriber()
    const second = subscriber()
    webhooks.subscribe(first.receive)
    webhooks.subscribe(second.receive, { hash: 'sha512' })
    await pay()
    await webhooks.flush()
    // The deliveries are in the order of the responses. Only the second subscriber's signature has the length of SHA-512.
    const isSecond = ({ headers }: Delivery) => new Headers(headers).get('x-signature-primary')?.length === 88
    const delivery = webhooks.deliveries.find(isSecond) as Delivery
    await sandbox.clock.advance('25h')
    const secret = webhooks.rotateSecret()
    await sandbox.clock.advance('25h')

    await webhooks.redeliver(delivery.id)

    const again = webhooks.deliveries[2] as Delivery
    expect(second.bodies).toEqual([delivery.body, delivery.body])
    expect(first.bodies).toHaveLength(1)
    expect(again).toMatchObject({ attempt: 2, body: delivery.body, at: '2026-03-03T14:00:00.000Z', status: 200 })
    expect(again.id).not.toBe(delivery.id)
    expect(verify(again.body, again.headers, secret, { hash: 'sha512' })).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })

  it('N67 sends the later events of the payment after a success, and cancels the retry', async () => {
    const { client, pay, sandbox, webhooks } = startSandbox()
    const { bodies, receive, statusesSeen } = subscriber(500)
    webhooks.subscribe(receive)
    const { id } = await pay()
    await client.payments.cancel(id)
    await webhooks.flush()
    const blocked = statusesSeen()

    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    await webhooks.flush()
    const unblocked = statusesSeen()
    await sandbox.clock.advance('24h')

    expect(blocked).toEqual(['AUTHORIZED'])
    expect(unblocked).toEqual(['AUTHORIZED', 'AUTHORIZED', 'CANCELLED'])
    expect(bodies).toHaveLength(3)
  })

  it('keeps the retry of a delivery after a failed redelivery', async () => {
    const { client, pay, sandbox, webhooks } = startSandbox()
    const { receive, statusesSeen } = subscriber(500, 500)
    webhooks.subscribe(receive)
    const { id } = await pay()
    await client.payments.cancel(id)
    await webhooks.flush()

    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    await webhooks.flush()
    const blocked = statusesSeen()
    await sandbox.clock.advance('2m')

    expect(blocked).toEqual(['AUTHORIZED', 'AUTHORIZED'])
    expect(statusesSeen().slice(2)).toEqual(['AUTHORIZED', 'CANCELLED'])
  })

  it('makes only one delivery attempt', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    let status = 200
    webhooks.subscribe(() => new Response(null, { status }))
    await pay()
    await webhooks.flush()
    status = 500

    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    await sandbox.clock.advance('24h')

    expect(webhooks.deliveries.map((delivery) => delivery.status)).toEqual([200, 500])
  })

  it('rejects an unknown delivery, and a delivery from a snapshot that was sent to a function', async () => {
    const { pay, webhooks, sandbox } = startSandbox()
    webhooks.subscribe(() => new Response())
    await pay()
    await webhooks.flush()
    sandbox.restore(sandbox.snapshot())

    await expect(webhooks.redeliver('delivery_unknown')).rejects.toThrow('There is no delivery with this id')
    await expect(webhooks.redeliver(webhooks.deliveries[0]!.id)).rejects.toThrow('The subscriber was a function')
  })
})

describe('the responseBody of a delivery', () => {
  it('contains at most 64 KiB of the response', async () => {
    const { pay, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response('x'.repeat(100_000)))

    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries[0]?.responseBody).toBe('x'.repeat(64 * 1024))
  })

  it('is removed from the oldest deliveries if all bodies together exceed the limit', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response('x'.repeat(64 * 1024)))
    await pay()
    await webhooks.flush()
    const [delivery] = webhooks.deliveries as [Delivery]
    sandbox.restore({ ...sandbox.snapshot(), deliveries: Array(763).fill(delivery) })

    await pay()
    await webhooks.flush()

    const hasBody = webhooks.deliveries.map(({ responseBody }) => responseBody !== undefined)
    expect(hasBody).toEqual([false, false, ...Array(762).fill(true)])
  })

  it('leaves the subscriber’s Response object readable', async () => {
    const { pay, webhooks } = startSandbox()
    const response = new Response('accepted')
    webhooks.subscribe(() => response)

    await pay()
    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries.map(({ responseBody }) => responseBody)).toEqual(['accepted', 'accepted'])
    expect(await response.text()).toBe('accepted')
  })

  it('is absent if the subscriber already read its Response', async () => {
    const { pay, webhooks } = startSandbox()
    webhooks.subscribe(async () => {
      const response = new Response('accepted')
      await response.text()
      return response
    })

    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ status: 200 }])
    expect(webhooks.deliveries[0]).not.toHaveProperty('responseBody')
  })

  it('contains the start of a response that never ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { pay, webhooks } = startSandbox()
    const asked = new Promise<void>((resolve) => {
      webhooks.subscribe(() => {
        resolve()
        const start = (controller: ReadableStreamDefaultController) =>
          controller.enqueue(new TextEncoder().encode('start'))
        return new Response(new ReadableStream({ start }))
      })
    })

    await pay()
    await asked
    await vi.advanceTimersByTimeAsync(10_000)
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ status: 200, responseBody: 'start' }])
  })
})

describe('sandbox.webhooks.flush', () => {
  it('waits for events that receivers cause during the flush', async () => {
    const { client, pay, webhooks } = startSandbox()
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

    await pay()
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject(Array(4).fill({ status: 200 }))
  })
})

describe('sandbox.webhooks.rotateSecret', () => {
  it('signs a retry with the new secret', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(subscriber(500).receive)
    await pay()
    await webhooks.flush()

    const rotated = webhooks.rotateSecret()
    await sandbox.clock.advance('2m')

    const { body, headers } = webhooks.deliveries[1] as Delivery
    const primary = { 'X-Signature-Primary': headers['X-Signature-Primary'] }
    expect(verify(body, primary, rotated)).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })

  it('signs with the old secret even after a snapshot is restored', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response())
    const { secret } = webhooks
    webhooks.rotateSecret()

    sandbox.restore(sandbox.snapshot())
    await pay()
    await webhooks.flush()

    const { body, headers } = webhooks.deliveries[0] as Delivery
    expect(verify(body, headers, secret)).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })
})

describe('the simulated faults of sandbox.webhooks', () => {
  it('deliver an event twice with the same bytes', async () => {
    const { pay, webhooks } = startSandbox()
    const receiver = subscriber()
    webhooks.subscribe(receiver.receive)

    webhooks.duplicateNext()
    await pay()
    await pay()
    await Promise.all([webhooks.flush(), webhooks.flush()])

    expect(receiver.bodies).toHaveLength(3)
    expect(receiver.bodies[1]).toBe(receiver.bodies[0])
    expect(receiver.bodies[2]).not.toBe(receiver.bodies[0])
    expect(webhooks.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
  })

  it('deliver an event after the next event', async () => {
    const { client, pay, webhooks } = startSandbox()
    const receiver = subscriber()
    webhooks.subscribe(receiver.receive)

    webhooks.reorderNext()
    const { id } = await pay()
    await client.payments.capture(id)
    await webhooks.flush()

    expect(receiver.statusesSeen()).toEqual(['SETTLED', 'AUTHORIZED'])
  })

  it('deliver a reordered event on flush() if none follows it', async () => {
    const { pay, webhooks } = startSandbox()
    const receiver = subscriber()
    webhooks.subscribe(receiver.receive)

    webhooks.reorderNext()
    await pay()
    const held = webhooks.deliveries.length
    await webhooks.flush()

    expect(held).toBe(0)
    expect(receiver.statusesSeen()).toEqual(['AUTHORIZED'])
  })

  it('delay an event until the clock advances', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(() => new Response())

    webhooks.delayNext('5m')
    await pay()
    await webhooks.flush()
    await sandbox.clock.advance('4m')
    const before = webhooks.deliveries.length
    await sandbox.clock.advance('1m')

    expect(before).toBe(0)
    expect(webhooks.deliveries).toMatchObject([{ at: '2026-03-01T12:05:00.000Z', status: 200 }])
  })

  it('N67 sign only the first delivery of an event with a wrong secret', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
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
    await pay()
    await webhooks.flush()
    await webhooks.redeliver(webhooks.deliveries[0]!.id)
    await sandbox.clock.advance('2m')

    const isFirst = ({ body }: Delivery) => body === webhooks.deliveries[0]!.body
    expect(webhooks.deliveries.filter(isFirst).map(isValid)).toEqual([false, true])
    expect(webhooks.deliveries.filter((delivery) => !isFirst(delivery)).map(isValid)).toEqual([true])
    expect(webhooks.deliveries.map(({ headers }) => headers['X-Signature-Primary']?.length)).toEqual([88, 88, 88])
  })

  it('N67 sign the retry of a forged delivery with the right secret', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    webhooks.subscribe(subscriber(400).receive)

    webhooks.forgeNext()
    await pay()
    await webhooks.flush()
    await sandbox.clock.advance('2m')

    const [, { body, headers }] = webhooks.deliveries as [Delivery, Delivery]
    expect(verify(body, headers, webhooks.secret)).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })
})

describe('sandbox.webhooks with a URL as subscriber', () => {
  const servers: ReturnType<typeof createServer>[] = []

  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  /** Starts a webhook receiver. */
  async function listen(respond: (body: string) => { status: number; location?: string }) {
    const received: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ method: request.method, url: request.url, headers: request.headers, body })
      const { status, ...headers } = respond(body)
      response.writeHead(status, headers).end('a page')
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    return { received, url: `http://127.0.0.1:${port}/hooks?account=1` }
  }

  it('redelivers a delivery from a snapshot to the URL that first received it', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const { received, url } = await listen(() => ({ status: 200 }))
    const { unsubscribe } = webhooks.subscribe(url)
    await pay()
    await webhooks.flush()
    unsubscribe()
    sandbox.restore(sandbox.snapshot())

    await webhooks.redeliver(webhooks.deliveries[0]!.id)

    expect(received.map(({ body }) => body)).toEqual(Array(2).fill(webhooks.deliveries[0]?.body))
  })

  it('redelivers a delivery from a snapshot with the hash of the current subscription', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const { url } = await listen(() => ({ status: 200 }))
    webhooks.subscribe(url, { hash: 'sha512' })
    await pay()
    await webhooks.flush()
    sandbox.restore(sandbox.snapshot())

    await webhooks.redeliver(webhooks.deliveries[0]!.id)

    const { body, headers } = webhooks.deliveries[1] as Delivery
    expect(verify(body, headers, webhooks.secret, { hash: 'sha512' })).toMatchObject({ eventType: 'PAYMENT.STATUS' })
  })

  it('posts signed JSON to the URL', async () => {
    const { pay, webhooks } = startSandbox()
    const { received, url } = await listen(() => ({ status: 200 }))
    webhooks.subscribe(url)

    const payment = await pay()
    await webhooks.flush()

    expect(received).toMatchObject([
      { method: 'POST', url: '/hooks?account=1', headers: { 'content-type': 'application/json' } },
    ])
    const event = verify(received[0]!.body, received[0]!.headers, webhooks.secret)
    expect(event).toMatchObject({ payment: { id: payment.id } })
    expect(webhooks.deliveries).toMatchObject([{ to: url, status: 200, responseBody: 'a page' }])
  })

  it('accepts a 200 with an endless body, and disconnects after the timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { pay, webhooks } = startSandbox()
    const fetched = vi.spyOn(globalThis, 'fetch')
    const started = Promise.withResolvers<ServerResponse>()
    const server = createServer((_, response) => {
      started.resolve(response)
      response.writeHead(200).write('a response that never ends')
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    webhooks.subscribe(`http://127.0.0.1:${(server.address() as { port: number }).port}`)

    await pay()
    const disconnected = once(await started.promise, 'close')
    await fetched.mock.results[0]?.value
    await vi.advanceTimersByTimeAsync(10_000)
    await webhooks.flush()

    expect(webhooks.deliveries).toMatchObject([{ status: 200 }])
    await disconnected
  })

  it('does not follow redirects', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const elsewhere = await listen(() => ({ status: 200 }))
    const { url } = await listen(() => ({ status: 307, location: elsewhere.url }))
    webhooks.subscribe(new URL(url))

    await pay()
    await sandbox.clock.advance('2m')

    expect(elsewhere.received).toEqual([])
    expect(webhooks.deliveries).toMatchObject([{ status: 307 }, { attempt: 2, status: 307 }])
  })

  it('retries after a refused connection', async () => {
    const { pay, sandbox, webhooks } = startSandbox()
    const { url } = await listen(() => ({ status: 200 }))
    const [server] = servers.splice(0)
    await new Promise((resolve) => server?.close(resolve))
    webhooks.subscribe(url)

    await pay()
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

/** Returns the id and status of the payment in each delivery. */
function seen(deliveries: readonly Delivery[]): [id: string, status: string][] {
  return deliveries.map(({ body }) => {
    const { id, status } = JSON.parse(body).payment
    return [id, status]
  })
}

function expectWithin(value: number | undefined, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least)
  expect(value).toBeLessThanOrEqual(most)
}
