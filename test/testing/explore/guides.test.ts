import { DatabaseSync } from 'node:sqlite'
import { PaymentsClient } from 'payments-client'
import { createSandbox, explore } from 'payments-client/sandbox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { independent, listenInMemory } from '../../frameworks/in-process.js'
import { explorationOf, loadShop, type StartServer } from '../../support/guide-shop.js'
import { firstKeys, openShopPage, retryAfterAnotherProcess, retryAfterLostResponses } from '../../support/shop-page.js'

/** Whether to try all servers with all tokens and modes. */
const isLong = process.env['RUNS'] !== undefined

/** A few runs per server suffice here, because all servers call the same shop. The nightly check tries more. */
const budget = Number(process.env['RUNS'] ?? 4)

/** A payment with 3-D Secure sends all requests of a payment without it, and more. */
const tokens = isLong ? (['card', 'requires3ds'] as const) : (['requires3ds'] as const)

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const restore = listenInMemory()
  return () => {
    restore()
    vi.restoreAllMocks()
  }
})

/** Starts a service and the server of a guide, and opens its page. */
async function openShop(startServer: StartServer, idempotency: 'replay' | 'conflict') {
  const sandbox = createSandbox({ idempotency })
  const options = sandbox.clientOptions({ logLevel: 'off' })
  vi.spyOn(Math, 'random').mockReturnValue(0) // makes the delays before retries 0 ms long
  const database = new DatabaseSync(':memory:')
  const send = await startServer(await loadShop(database, { ...options, webhookSecret: sandbox.webhooks.secret }))
  return { sandbox, page: openShopPage(send, sandbox), client: new PaymentsClient(sandbox.clientOptions()) }
}

const [firstName] = independent.keys()

describe.each([...independent])('the server code in the guide %s', (name, startServer) => {
  // The shop, which is the same for all servers, depends on the mode.
  const modes = name === firstName || isLong ? (['replay', 'conflict'] as const) : (['conflict'] as const)

  describe.each(modes)('with idempotency mode %s', (idempotency) => {
    it('charges the customer once if no response arrives and the retry is rejected', async () => {
      const { sandbox, page } = await openShop(startServer, idempotency)

      const { orders, received } = await retryAfterLostResponses(page, sandbox)

      expect(received).toEqual(['pending', 'pending', 'authorized'].map((state) => orders.map(() => state)))
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(firstKeys(orders))
    })

    it('charges the customer once if another process used the key', async () => {
      const { sandbox, page, client } = await openShop(startServer, idempotency)

      const { orders, received } = await retryAfterAnotherProcess(page, sandbox, client)

      expect(received).toEqual(['pending', 'authorized'].map((state) => orders.map(() => state)))
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(firstKeys(orders))
    })
  })

  it.each(tokens)('passes explore() without a failure if the customer pays with the token %s', async (token) => {
    const { failures } = await explore({ ...explorationOf(startServer, token), budget })

    expect(failures.map(({ message, timeline }) => [message, timeline])).toEqual([])
  })

  it('starts a new attempt only if no earlier attempt may succeed', async () => {
    const { sandbox, page } = await openShop(startServer, 'replay')
    const pay = async (token: string) => {
      const { state, httpStatus } = await page.pay('17', token)
      return httpStatus === 200 ? state : httpStatus
    }

    const shown = [await pay('tok_declined'), await pay('tok_unknown'), await pay('tok_pending'), await pay('tok_card')]
    sandbox.processor.decline(sandbox.ledger.at(-1)?.resourceId ?? '')
    shown.push(await pay('tok_card'), await pay('tok_card'))

    expect(shown).toEqual(['failed', 400, 'pending', 'pending', 'failed', 'authorized'])
    const keys = sandbox.ledger.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    expect(keys).toEqual(['pay-17-1', 'pay-17-3', 'pay-17-4'])
  })
})

describe.each([...independent])('the server code in the guide %s, with 3-D Secure', (_, startServer) => {
  it.each(['after', 'before'] as const)(
    'authorizes the second attempt if the connection breaks %s the resumption',
    async (at) => {
      const { sandbox, page } = await openShop(startServer, 'replay')
      sandbox.faults.add({ operation: 'payments.resume', at, reset: true })

      const first = await page.pay('17', 'tok_requires3ds')
      const second = await page.pay('17', 'tok_requires3ds')

      expect([first.state, second.state]).toEqual([at === 'after' ? 'authorized' : 'action_required', 'authorized'])
      expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.resume'])
    },
  )
})
