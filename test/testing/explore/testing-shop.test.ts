import { type PaymentStatus, PaymentsClient } from 'payments-client'
import { type ExploreOptions, explore } from 'payments-client/sandbox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Books, bookkeeper, pay } from '../../../examples/testing/shop.js'

const budget = Number(process.env['RUNS'] ?? 40)

/** The shop's database. */
interface Storage {
  attempt?: number
  isPaid?: true
  books?: Books
}

interface Process {
  checkout(tokens: readonly string[]): Promise<void>
}

/** The customer pays with a declined card and then with another card, and retries while the result is unclear. */
const exploration: ExploreOptions<Process, Storage> = {
  start({ clientOptions, storage, webhookSecret, receive, clock }) {
    const client = new PaymentsClient({ ...clientOptions, maxRetries: 0, timeout: 10_000 })
    storage.books ??= new Map()
    receive(bookkeeper(webhookSecret, storage.books))
    const wait = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000))
    return {
      async checkout(tokens) {
        for (let tries = 1; tries <= 6 && !storage.isPaid; tries++) {
          const attempt = storage.attempt ?? 1
          const paymentMethodToken = tokens[attempt - 1] ?? ''
          const verdict = await pay(client, { id: 'order-17', amount: 5000, paymentMethodToken, attempt })
          if (verdict === 'paid') storage.isPaid = true
          if (verdict === 'declined') storage.attempt = attempt + 1
          if (verdict === 'unclear') await wait()
        }
      },
    }
  },
  scenario: (shop, { sandbox }) => shop.checkout([sandbox.tokens.declined, sandbox.tokens.card]),
  async check({ sandbox, ledger, storage }) {
    const client = new PaymentsClient(sandbox.clientOptions())
    const statuses: (PaymentStatus | undefined)[] = []
    for (const { resourceId } of ledger) {
      const { status } = await client.payments.get(resourceId)
      const recorded = storage.books?.get(resourceId)?.status
      if (recorded !== status) throw new Error(`a payment is ${status}, but the books contain ${recorded}`)
      statuses.push(status)
    }
    if (storage.isPaid && !statuses.includes('AUTHORIZED')) throw new Error('the order is paid without a payment')
  },
}

beforeEach(() => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  return () => log.mockRestore()
})

describe('the shop in examples/testing/shop.ts', () => {
  it('passes explore() without a failure', async () => {
    const { failures } = await explore({ ...exploration, budget })

    expect(failures.map(({ timeline }) => timeline)).toEqual([])
  })
})
