import { describe, expect, it } from 'vitest'
import { PaymentsClient, RequestValidationError } from '../../../src/index.js'
import { createSandbox } from '../../../src/testing/index.js'

/** Creates a sandbox with payments `order-1` to `order-<count>`, and returns its client. */
async function aListOf(count: number) {
  const sandbox = createSandbox({ now: new Date('2026-01-01T00:00:00Z') })
  const client = new PaymentsClient(sandbox.clientOptions())
  for (let number = 1; number <= count; number++) {
    const body = { paymentMethodToken: sandbox.tokens.card, orderId: `order-${number}`, currencyCode: 'EUR', amount: 1 }
    await client.payments.create(body)
  }
  return client
}

describe('list.resumeFrom', () => {
  it('continues with the item after the checkpoint', async () => {
    const client = await aListOf(7)
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

  it('keeps checkpoint() unchanged until the resumed list reads an item', async () => {
    const client = await aListOf(3)
    const first = client.payments.list({ limit: 2 })
    for await (const _payment of first) break
    const rest = client.payments.list({ limit: 2 }).resumeFrom(first.checkpoint())

    rest[Symbol.asyncIterator]()

    expect(rest.checkpoint()).toBe(first.checkpoint())
  })

  it('lets toArray collect the items after the checkpoint', async () => {
    const client = await aListOf(5)
    const first = client.payments.list({ limit: 3 })
    for await (const { orderId } of first) if (orderId === 'order-2') break

    const rest = await client.payments.list({ limit: 3 }).resumeFrom(first.checkpoint()).toArray({ limit: 2 })

    expect(rest.map(({ orderId }) => orderId)).toEqual(['order-3', 'order-4'])
  })

  it('starts with the first item if the checkpoint was taken before the first item', async () => {
    const client = await aListOf(2)

    const list = client.payments.list().resumeFrom(client.payments.list().checkpoint())

    expect(await list.toArray({ limit: 10 })).toHaveLength(2)
  })

  it('starts pages() with the page that contains the next item', async () => {
    const client = await aListOf(6)
    const first = client.payments.list({ limit: 2 })
    const pagesAfter = async (checkpoint: string) => {
      const pages: string[][] = []
      for await (const { data } of client.payments.list({ limit: 2 }).resumeFrom(checkpoint).pages()) {
        pages.push(data.map(({ orderId = '' }) => orderId))
      }
      return pages
    }

    for await (const page of first.pages()) if (page.data[0]?.orderId === 'order-3') break
    expect(await pagesAfter(first.checkpoint())).toEqual([['order-5', 'order-6']])

    for await (const { orderId } of first) if (orderId === 'order-3') break
    expect(await pagesAfter(first.checkpoint())).toEqual([
      ['order-3', 'order-4'],
      ['order-5', 'order-6'],
    ])

    for await (const _page of first.pages());
    expect(await pagesAfter(first.checkpoint())).toEqual([])
  })

  it('continues after the last item that toArray returned', async () => {
    const client = await aListOf(5)
    const first = client.payments.list({ limit: 2 })
    await first.toArray({ limit: 3 })

    const rest = await client.payments.list({ limit: 2 }).resumeFrom(first.checkpoint()).toArray({ limit: 1 })

    expect(rest.map(({ orderId }) => orderId)).toEqual(['order-4'])
  })

  it.each(['', 'null', '[]', '[{}, 1]', '["a", 1.5]', '[1.5, 0]', '[null, -2]', '{"0":1}'])(
    'rejects the checkpoint %j',
    async (text) => {
      const client = await aListOf(0)

      const resuming = () => client.payments.list().resumeFrom(text)

      expect(resuming).toThrow(expect.objectContaining({ code: 'ERR_REQUEST_VALIDATION', operation: 'payments.list' }))
      expect(resuming).toThrow('checkpoint must be a result of checkpoint()')
    },
  )

  it('rejects a checkpoint from another type of list', () => {
    const { payments, loyalty } = new PaymentsClient(createSandbox().clientOptions())

    expect(() => payments.list().resumeFrom('[20, 0]')).toThrow('checkpoint must be a result of checkpoint()')
    expect(() => payments.list().resumeFrom('["", 0]')).toThrow(RequestValidationError)
    expect(() => loyalty.transactions.list().resumeFrom('[0, 0]')).not.toThrow()
    for (const position of ['"two"', '-1', '0.5']) {
      expect(() => loyalty.transactions.list().resumeFrom(`[${position}, 0]`)).toThrow(RequestValidationError)
    }
  })
})
