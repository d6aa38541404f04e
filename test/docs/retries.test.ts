import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { guideNamed } from '../frameworks/guides.js'
import {
  firstKeys,
  openShopPage,
  retryAfterAnotherProcess,
  retryAfterLostResponses,
  type SendToShop,
} from '../support/shop-page.js'
import { evaluate, snippetsIn } from '../support/snippets.js'

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(Math, 'random').mockReturnValue(0) // retries without delays
})
afterEach(() => vi.restoreAllMocks())

/** Loads the server of a guide that needs no framework. */
const servers: Record<string, () => Promise<SendToShop>> = {
  async 'other-runtimes'() {
    const shop = (await loadGuide('other-runtimes', 'shop.ts')) as { default: { fetch: typeof fetch } }
    return (path, init) => shop.default.fetch(new Request(`https://shop.example${path}`, init))
  },
  async 'aws-lambda'() {
    const { pay } = (await loadGuide('aws-lambda', 'functions.ts')) as { pay: (event: object) => Promise<LambdaResult> }
    return async (path, { body }) => {
      const [, , order, , attempt] = path.split('/')
      const { statusCode, headers, body: sent } = await pay({ pathParameters: { order, attempt }, body })
      return new Response(sent, { status: statusCode, headers })
    }
  },
}

interface LambdaResult {
  statusCode: number
  headers?: Record<string, string>
  body: string
}

function loadGuide(name: string, file: string): Promise<object> {
  return evaluate(guideNamed(name).files.get(file) ?? '')
}

/** Starts a service, opens a page of the guide's shop, and records the `Retry-After` headers that the page receives. */
async function openShop(name: string, idempotency: 'replay' | 'conflict') {
  const sandbox = createSandbox({ idempotency })
  const service = await sandbox.listen()
  onTestFinished(() => service.close())
  vi.stubEnv('PAYMENTS_BASE_URL', service.url)
  vi.stubEnv('PAYMENTS_API_KEY', sandbox.apiKey)
  onTestFinished(() => void vi.unstubAllEnvs())
  const send = await servers[name]!()
  const delays: (string | null)[] = []
  const page = openShopPage(async (path, init) => {
    const response = await send(path, init)
    delays.push(response.headers.get('retry-after'))
    return response
  })
  return { sandbox, page, delays, client: new PaymentsClient(sandbox.clientOptions()) }
}

describe.each(Object.keys(servers))('the server of the guide %s', (name) => {
  describe.each(['replay', 'conflict'] as const)('with idempotency mode %s', (idempotency) => {
    const shown = idempotency === 'replay' ? 'AUTHORIZED' : 409

    it('N31 charges once if all responses are lost and a retry gets a 429, 401, 403, 408 or 503', async () => {
      const { sandbox, page, delays } = await openShop(name, idempotency)

      const { orders, received, expected } = await retryAfterLostResponses(page, sandbox)

      expect(received).toEqual([...expected, orders.map(() => shown)])
      expect(delays.filter((delay) => delay !== null)).toEqual(['120', '120', '120'])
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(firstKeys(orders))
    })

    it('N32 charges once if another process used the key and the conflict is unreadable', async () => {
      const { sandbox, page, client } = await openShop(name, idempotency)

      const { orders, received } = await retryAfterAnotherProcess(page, sandbox, client)

      expect(received).toEqual([orders.map(() => 502), orders.map(() => shown)])
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(firstKeys(orders))
    })
  })
})

describe('the page in docs/guides/retries-and-idempotency.md', () => {
  /** Opens a page whose shop responds with these statuses in turn. Returns the attempt number of each request. */
  async function attemptsAfter(...responses: (number | 'none' | string)[]): Promise<string[]> {
    const attempts: string[] = []
    const page = openShopPage(async (path) => {
      attempts.push(path.split('/').at(-1) as string)
      const response = responses[attempts.length - 1]
      if (response === 'none') throw new TypeError('fetch failed')
      if (typeof response === 'string') return Response.json({ id: 'pay_1', status: response })
      return new Response('{}', { status: response ?? 200 })
    })
    for (let request = 0; request <= responses.length; request++) await page.pay('order-17').catch(() => {})
    return attempts
  }

  it.each([['DECLINED'], ['FAILED'], [400]])('increases the attempt number after %s', async (response) => {
    expect(await attemptsAfter(response)).toEqual(['1', '2'])
  })

  it.each([['AUTHORIZED'], ['PENDING'], [409], [429], [500], [502], [503], ['none']])(
    'keeps the attempt number after %s',
    async (response) => {
      expect(await attemptsAfter(response)).toEqual(['1', '1'])
    },
  )

  it('N31 keeps the attempt number if a request before the 400 had another result', async () => {
    expect(await attemptsAfter('none', 400, 502, 400, 'DECLINED', 400)).toEqual(['1', '1', '1', '1', '1', '2', '3'])
  })
})

describe('the job in docs/guides/retries-and-idempotency.md', () => {
  it('N35 finds the payments of customers who left, and never sends a payment again', async () => {
    const sandbox = createSandbox({ now: new Date(Date.now() - 600_000) })
    const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
    const sentAt = sandbox.clock.now()
    for (const at of ['after', 'before'] as const) {
      sandbox.faults.add({ operation: 'payments.create', at, reset: true })
      const order = {
        paymentMethodToken: sandbox.tokens.card,
        orderId: `lost-${at}`,
        currencyCode: 'EUR',
        amount: 5000,
      }
      await expect(client.payments.create(order)).rejects.toMatchObject({ outcome: 'unknown' })
    }
    const unfinished = ['lost-after', 'lost-before'].map((orderId) => ({
      orderId,
      firstSentAt: sentAt,
      lastSentAt: sentAt,
    }))
    const shop = { unfinishedPayments: async () => unfinished, finishPayment: vi.fn(), giveUp: vi.fn() }
    const job = snippetsIn('docs/guides/retries-and-idempotency.md').find(({ code }) => code.includes('giveUp'))
    await sandbox.clock.advance('5m')

    await evaluate(job?.code ?? '', { client, shop })

    expect(shop.finishPayment.mock.calls).toEqual([['lost-after', [expect.objectContaining({ status: 'AUTHORIZED' })]]])
    expect(shop.giveUp.mock.calls).toEqual([['lost-before']])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create'])
  })
})

describe('payments.resume', () => {
  it('N60 can be called again with the same token after an unknown outcome', async () => {
    const sandbox = createSandbox()
    const client = new PaymentsClient(sandbox.clientOptions())
    const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
    const { id } = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.requires3ds })
    const resumeToken = sandbox.completeAction(id)
    sandbox.faults.add({ operation: 'payments.resume', at: 'before', reset: true })
    await expect(client.payments.resume(id, { resumeToken })).rejects.toMatchObject({ retry: 'check-first' })

    const resumed = await client.payments.resume(id, { resumeToken })
    const again = await client.payments.resume(id, { resumeToken }).catch((error) => error.retry)

    expect([resumed.status, again]).toEqual(['AUTHORIZED', 'new-key'])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.resume'])
  })
})
