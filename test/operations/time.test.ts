import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runtimeOption, systemRuntime } from '../../src/core/internal/runtime.js'
import { createMemoryJournal, PaymentsClient } from '../../src/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { failureOf } from '../support/clients.js'

/** Starts a shop on a machine that can be suspended. Then its monotonic clock stands still. */
function aMachine() {
  let suspendedMs = 0
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + suspendedMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const journal = createMemoryJournal({ now: () => new Date(Date.now()) })
  const sandbox = createSandbox({ now: new Date(Date.now()) })
  const aClient = (options: object = {}) => new PaymentsClient(sandbox.clientOptions({ journal, ...options }))
  const suspend = (ms: number) => {
    suspendedMs += ms
    sandbox.clock.advance(ms)
  }
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }
  return { sandbox, aClient, suspend, body }
}

describe('a machine that is suspended', () => {
  it('does not send a payment after another worker recorded that it was not executed', async () => {
    const { sandbox, aClient, suspend, body } = aMachine()
    const worker = aClient()
    const apiKey = async () => {
      for (let minutes = 0; minutes < 6; minutes += 3) {
        suspend(180_000)
        await worker.operations.recover()
      }
      return sandbox.apiKey
    }

    const error = await failureOf(aClient({ apiKey }).payments.create(body, { idempotencyKey: 'create-1' }))

    expect(error).toMatchObject({ outcome: 'not_sent' })
    expect(await worker.operations.get('create-1')).toMatchObject({ state: 'not_executed' })
    expect(sandbox.ledger).toEqual([])
  })

  it('does not send a payment after resendFor even if no other process claimed it', async () => {
    const { sandbox, aClient, suspend, body } = aMachine()
    const apiKey = async () => {
      suspend(61_000)
      return sandbox.apiKey
    }

    const error = await failureOf(aClient({ apiKey }).payments.create(body, { idempotencyKey: 'create-1' }))

    expect(error).toMatchObject({ outcome: 'not_sent', retry: 'same-key' })
    expect(sandbox.ledger).toEqual([])
  })

  it('renews its claim before it sends a request', async () => {
    const { sandbox, aClient, suspend, body } = aMachine()
    const { id } = await aClient().payments.create(body)
    const worker = aClient()
    const apiKey = async () => {
      suspend(15_000)
      return sandbox.apiKey
    }
    const fetch: typeof sandbox.fetch = async (input, init) => {
      suspend(10_000)
      expect(await worker.operations.recover()).toEqual({ finished: 0, open: 0, needsReview: 0 })
      return sandbox.fetch(input, init)
    }

    await aClient({ apiKey, fetch }).payments.capture(id, { amount: 5 }, { idempotencyKey: 'capture-1' })

    expect(await worker.operations.get('capture-1')).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  it('does not change a record that another process has finished', async () => {
    const { sandbox, aClient, suspend, body } = aMachine()
    const outside = aClient({ journal: undefined })
    const { id } = await outside.payments.create(body)
    const worker = aClient()
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init)
      if (new Request(input, init).method === 'GET') {
        suspend(25_000)
        await outside.payments.capture(id, { amount: 100 })
        await worker.operations.run('capture-1')
      }
      return response
    }

    const options = { idempotencyKey: 'capture-1' }
    const error = await failureOf(aClient({ fetch }).payments.capture(id, { amount: 5 }, options))

    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', retry: 'same-key' })
    expect(await worker.operations.get('capture-1')).toMatchObject({ state: 'succeeded', amountCapturedBefore: 100 })
    expect(sandbox.ledger.filter(({ idempotencyKey }) => idempotencyKey === 'capture-1')).toHaveLength(1)
  })

  it('does not retry a recorded call after its totalTimeout', async () => {
    const { sandbox, aClient, suspend, body } = aMachine()
    const { id } = await aClient().payments.create(body)
    let requests = 0
    const fetch = async () => {
      requests++
      suspend(120_000)
      throw new TypeError('fetch failed')
    }

    const error = await failureOf(aClient({ fetch }).payments.cancel(id))

    expect(error).toMatchObject({ code: 'ERR_CONNECTION', outcome: 'unknown' })
    expect([requests, sandbox.requests.length]).toEqual([1, 1])
  })
})

it('operations.run stops renewing its claim before it calls onSettled', async () => {
  const timers = new Set<unknown>()
  const runtime = {
    ...systemRuntime,
    setTimeout(callback: () => void, ms: number) {
      const timer = systemRuntime.setTimeout(callback, ms)
      if (ms === 5_000) timers.add(timer)
      return timer
    },
    clearTimeout(timer: unknown) {
      timers.delete(timer)
      systemRuntime.clearTimeout(timer)
    },
  }
  const sandbox = createSandbox()
  const options = { ...sandbox.clientOptions({ journal: createMemoryJournal() }), [runtimeOption]: runtime }
  const client = new PaymentsClient(options)
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }
  await client.operations.plan({ key: 'create-1', operation: 'payments.create', body })
  const running: number[] = []

  await client.operations.run('create-1', { totalTimeout: 60_000, onSettled: () => void running.push(timers.size) })

  expect(running).toEqual([0])
})
