import { describe, expect, it } from 'vitest'
import { PaymentsClient, RequestValidationError } from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'

/** A sandbox with payments `order-1` to `order-n`, and a count of the pages that were asked for. */
async function aListOf(count: number) {
  const sandbox = createSandbox({ now: new Date('2026-01-01T00:00:00Z') })
  const queries: string[] = []
  const client = new PaymentsClient(
    sandbox.clientOptions({
      fetch: (request: Request) => {
        queries.push(new URL(request.url).search)
        return sandbox.fetch(request)
      },
    }),
  )
  for (let number = 1; number <= count; number++) {
    const body = { paymentMethodToken: sandbox.tokens.card, orderId: `order-${number}`, currencyCode: 'EUR', amount: 1 }
    await client.payments.create(body)
  }
  queries.length = 0
  return { client, sandbox, queries }
}

describe('a list that is resumed', () => {
  it('goes on with the item after the one that came last', async () => {
    const { client } = await aListOf(7)
    const first = client.payments.list({ limit: 3 })
    const orders: (string | undefined)[] = []
    let checkpoint = ''
    for await (const { orderId } of first) {
      orders.push(orderId)
      checkpoint = first.checkpoint()
      if (orderId === 'order-5') break
    }

    const rest = client.payments.list({ limit: 3 }).resumeFrom(checkpoint)
    for await (const { orderId } of rest) orders.push(orderId)

    expect(orders).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `order-${number}`))
  })

  it('gathers what comes after the checkpoint', async () => {
    const { client } = await aListOf(5)
    const first = client.payments.list({ limit: 3 })
    for await (const { orderId } of first) if (orderId === 'order-2') break

    const rest = await client.payments.list({ limit: 3 }).resumeFrom(first.checkpoint()).toArray({ limit: 2 })

    expect(rest.map(({ orderId }) => orderId)).toEqual(['order-3', 'order-4'])
  })

  it('starts at the beginning when nothing was read before the checkpoint', async () => {
    const { client } = await aListOf(2)

    const list = client.payments.list().resumeFrom(client.payments.list().checkpoint())

    expect(await list.toArray({ limit: 10 })).toHaveLength(2)
  })

  it('begins its pages with the one that the checkpoint stands on', async () => {
    const { client } = await aListOf(4)
    const first = client.payments.list({ limit: 2 })
    for await (const page of first.pages()) if (page.data[0]?.orderId === 'order-3') break

    const pages = []
    for await (const page of client.payments.list({ limit: 2 }).resumeFrom(first.checkpoint()).pages()) pages.push(page)

    expect(pages.map(({ data }) => data[0]?.orderId)).toEqual(['order-3'])
  })

  it.each(['', 'null', '[]', '[{}, 1]', '["a", 1.5]', '[1.5, 0]', '[null, -2]', '{"0":1}'])(
    'refuses %j as a checkpoint',
    async (text) => {
      const { client } = await aListOf(0)

      const resuming = () => client.payments.list().resumeFrom(text)

      expect(resuming).toThrow(RequestValidationError)
      expect(resuming).toThrow('checkpoint must be what checkpoint() returned')
    },
  )
})

describe('a list with offsets that is long', () => {
  it('fetches four pages at once after the second, and keeps their order', async () => {
    const { client, sandbox, queries } = await aListOf(0)
    sandbox.loyalty.setBalance('conn', 'ada', 100)
    for (let number = 0; number < 12; number++) {
      const body = { connectionId: 'conn', customerId: 'ada', orderId: `order-${number}`, value: 1 }
      await client.loyalty.transactions.create(body)
    }
    queries.length = 0

    const orders: (string | undefined)[] = []
    for await (const page of client.loyalty.transactions.list({ limit: 2 }).pages()) {
      orders.push(...page.data.map(({ orderId }) => orderId))
      if (orders.length === 4) expect(queries).toHaveLength(6)
    }

    expect(orders).toEqual(Array.from({ length: 12 }, (_, number) => `order-${number}`))
    expect(queries).toEqual(['?limit=2', ...[2, 4, 6, 8, 10].map((offset) => `?limit=2&offset=${offset}`)])
  })
})

describe('a list whose consumer computes', () => {
  it('has sent for the next page before the first one is handed over', async () => {
    const { client, queries } = await aListOf(4)

    for await (const page of client.payments.list({ limit: 2 }).pages()) {
      expect(queries).toHaveLength(2)
      if (page.data[0]?.orderId === 'order-1') break
    }
  })
})
