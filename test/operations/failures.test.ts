import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryJournal, type JournalOptions, PaymentsClient } from '../../src/index.js'
import { createJournal, createWebhookStore, type SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { createSandbox, type SandboxOptions } from '../../src/testing/index.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { failureOf } from '../support/clients.js'
import { othersFinish, stopClock } from '../support/clock.js'

const openDatabase = () => (sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase)(':memory:')

/** A shop whose journal and sandbox share one clock. Only `pass` advances the clock. */
function aShop({ sandbox: sandboxOptions, databaseIsBehind = 0, ...options }: ShopOptions = {}) {
  let time = Date.now()
  let behindMs = databaseIsBehind
  const journal = createMemoryJournal({ ...options, now: () => new Date(time - behindMs) })
  const sandbox = createSandbox({ now: new Date(time), ...sandboxOptions })
  const onResult = vi.fn()
  const client = new PaymentsClient(sandbox.clientOptions({ journal, maxRetries: 0, hooks: { onResult } }))
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }
  const pass = (ms: number) => {
    time += ms
    sandbox.clock.advance(ms)
  }
  const setDatabaseBehind = (ms: number) => {
    behindMs = ms
  }
  const stateOf = async (key: string) => (await client.operations.get(key))?.state
  return { sandbox, client, onResult, body, pass, setDatabaseBehind, stateOf }
}

interface ShopOptions extends JournalOptions {
  sandbox?: SandboxOptions
  /** Milliseconds from the database's clock to the service's clock. */
  databaseIsBehind?: number
}

describe('operations.recover after a process died during a request', () => {
  /** Creates a shop with a fault that suspends the next request. `die` aborts the call of that process. */
  async function aDeadProcess(at: 'before' | 'after') {
    const shop = aShop()
    const { id } = await shop.client.payments.create({ ...shop.body, orderId: 'earlier' })
    await shop.client.payments.capture(id)
    shop.sandbox.faults.add({ at, hang: true })
    const controller = new AbortController()
    return { ...shop, id, die: () => controller.abort(), signal: controller.signal }
  }

  const arrives = (sandbox: ReturnType<typeof createSandbox>, operation: string) =>
    vi.waitFor(() => expect(sandbox.requests.some((request) => request.operation === operation)).toBe(true))

  it.each(['before', 'after'] as const)(
    'finishes the refund of a process that died %s the service performed it',
    async (at) => {
      const { sandbox, client, id, die, signal, pass, onResult } = await aDeadProcess(at)
      const dead = failureOf(client.payments.refund(id, { amount: 500 }, { idempotencyKey: 'refund-1', signal }))
      await arrives(sandbox, 'payments.refund')

      expect(await client.operations.recover()).toEqual({ finished: 0, open: 0, needsReview: 0 })
      pass(18_000)
      expect(await client.operations.recover()).toMatchObject({ finished: 0 })
      pass(3_000)
      expect(await client.operations.recover()).toMatchObject({ finished: 1 })

      const record = await client.operations.get('refund-1')
      expect(record).toMatchObject({ state: 'succeeded', transactionId: expect.any(String), attempts: 2 })
      expect(sandbox.ledger.filter(({ operation }) => operation === 'payments.refund')).toHaveLength(1)
      die()
      // The process was only paused. When it continues, another process has already finished its operation.
      expect(await dead).toMatchObject({ outcome: 'unknown' })
      expect(onResult.mock.calls.at(-1)?.[0].journalError.message).toContain(
        'This process lost its claim on the operation',
      )
      expect(await client.operations.get('refund-1')).toEqual(record)
    },
  )

  it('skips an operation as long as another process renews its claim on the operation', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { sandbox, client, id, signal, die, pass } = await aDeadProcess('after')
      const waiting = failureOf(
        client.payments.refund(id, {}, { idempotencyKey: 'refund-1', signal, timeout: 600_000, totalTimeout: 600_000 }),
      )
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
      for (let minute = 0; minute < 2; minute++) {
        for (let third = 0; third < 3; third++) {
          pass(20_000)
          await vi.advanceTimersByTimeAsync(20_000)
        }
        expect(await client.operations.recover()).toMatchObject({ finished: 0, open: 0 })
      }
      expect(sandbox.requests.filter(({ operation }) => operation === 'payments.refund')).toHaveLength(1)
      die()
      await waiting
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not send payments.create if the process pauses for 100 s after its claim', async () => {
    let pausedMs = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + pausedMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const start = Date.now()
    const storeClaimAndPause = () => {
      const time = new Date(start + pausedMs)
      pausedMs = 100_000
      return time
    }
    const journal = createMemoryJournal({ now: storeClaimAndPause })
    const sandbox = createSandbox({ now: new Date(start) })
    const client = new PaymentsClient(sandbox.clientOptions({ journal }))
    const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }

    const error = await failureOf(client.payments.create(body, { idempotencyKey: 'create-1' }))

    expect(error).toMatchObject({ outcome: 'not_sent', retry: 'new-key' })
    expect(sandbox.ledger).toEqual([])
  })

  it('looks up the payment instead of retrying payments.create', async () => {
    const { sandbox, client, body, signal, pass, die } = await aDeadProcess('after')
    const dead = failureOf(client.payments.create(body, { idempotencyKey: 'create-1', signal }))
    await vi.waitFor(() => expect(sandbox.ledger).toHaveLength(3))
    pass(61_000)
    const posts = () => sandbox.requests.filter(({ method, path }) => method === 'POST' && path === '/payments').length
    const before = posts()

    expect(await client.operations.recover()).toMatchObject({ finished: 1 })

    expect(await client.operations.get('create-1')).toMatchObject({ state: 'succeeded', paymentId: expect.any(String) })
    expect(posts()).toBe(before)
    die()
    await dead
  })

  it('marks payments.create as not executed after 150 s without a payment', async () => {
    const { sandbox, client, body, signal, pass, die } = await aDeadProcess('before')
    // The process sends its request 4 s after it claimed the operation, and dies before it renews the claim.
    const slow = client.withOptions({ hooks: { onRequest: () => pass(4_000) } })
    const dead = failureOf(slow.payments.create(body, { idempotencyKey: 'create-1', signal }))
    await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThanOrEqual(3))
    pass(17_000)
    expect(await client.operations.recover()).toMatchObject({ open: 1 })
    expect(await client.operations.get('create-1')).toMatchObject({ state: 'unknown' })
    pass(132_000)
    // The request may have taken effect after 90 s, and the payment may be missing from the list for a minute.
    expect(await client.operations.recover()).toMatchObject({ open: 1 })
    pass(5_000)

    expect(await client.operations.recover()).toMatchObject({ finished: 1 })
    expect(await client.operations.get('create-1')).toMatchObject({ state: 'not_executed' })
    expect(await failureOf(client.operations.run('create-1'))).toMatchObject({ outcome: 'rejected', retry: 'new-key' })
    die()
    await dead
  })

  it('marks payments.create as not executed after three processes died', async () => {
    const { sandbox, client, body, signal, pass, die } = await aDeadProcess('before')
    const dead: Promise<unknown>[] = [failureOf(client.payments.create(body, { idempotencyKey: 'create-1', signal }))]
    const looks = () => sandbox.requests.filter(({ operation }) => operation === 'payments.list').length
    await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThanOrEqual(3))
    for (let look = 1; look <= 3; look++) {
      pass(61_000)
      sandbox.faults.add({ operation: 'payments.list', hang: true })
      dead.push(client.operations.recover({ signal }))
      await vi.waitFor(() => expect(looks()).toBe(look))
    }
    pass(61_000)

    expect(await client.operations.recover()).toMatchObject({ finished: 1 })
    expect(await client.operations.get('create-1')).toMatchObject({ state: 'not_executed' })
    die()
    await Promise.all(dead)
  })
})

it('operations.recover does not take the payment of a running operation', async () => {
  const { sandbox, client, body, stateOf } = aShop({ resendFor: 0 })
  sandbox.faults.add({ at: 'before', reset: true })
  await failureOf(client.payments.create(body, { idempotencyKey: 'create-1' }))
  sandbox.faults.add({ at: 'after', hang: true })
  const controller = new AbortController()
  const running = failureOf(
    client.payments.create(body, {
      idempotencyKey: 'create-2',
      allowSecondPayment: true,
      signal: controller.signal,
      timeout: 60_000,
    }),
  )
  await vi.waitFor(() => expect(sandbox.ledger).toHaveLength(1))

  await client.operations.recover()

  expect(await stateOf('create-1')).toBe('unknown')
  controller.abort()
  await running
})

it('operations.recover assigns payments to the right operations after two crashes', async () => {
  const { sandbox, client, body, pass, stateOf } = aShop()
  const controller = new AbortController()
  const options = { signal: controller.signal, timeout: 600_000, totalTimeout: 600_000 }
  const dead = []
  for (const [key, at] of [
    ['create-1', 'after'],
    ['create-2', 'before'],
  ] as const) {
    sandbox.faults.add({ at, hang: true })
    dead.push(failureOf(client.payments.create(body, { ...options, idempotencyKey: key, allowSecondPayment: true })))
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(dead.length))
    pass(21_000)
  }

  for (let minutes = 0; minutes < 6; minutes += 2) {
    pass(123_000)
    await client.operations.recover()
  }

  expect([await stateOf('create-1'), await stateOf('create-2')]).toEqual(['succeeded', 'not_executed'])
  controller.abort()
  await Promise.all(dead)
})

it('operations.recover keeps the captured amounts of an order’s payments apart', async () => {
  const { sandbox, client, body, pass, stateOf } = aShop()
  const outside = new PaymentsClient(sandbox.clientOptions())
  sandbox.faults.add({ at: 'after', reset: true })
  await failureOf(client.payments.create(body, { idempotencyKey: 'create-1' }))
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init)
    const { id } = (await response.json()) as { id: string }
    return Response.json(await outside.payments.capture(id), response)
  }
  const capturing = client.withOptions({ fetch })
  await capturing.payments.create(body, { idempotencyKey: 'create-2', allowSecondPayment: true })
  pass(300_000)
  await client.operations.recover()
  const { paymentId } = (await client.operations.get('create-1')) as { paymentId: string }
  sandbox.faults.add({ at: 'after', reset: true, operation: 'payments.capture' })
  await failureOf(client.payments.capture(paymentId, undefined, { idempotencyKey: 'capture-1' }))
  pass(90_000_000)

  await client.operations.recover()

  expect(await stateOf('capture-1')).toBe('succeeded')
})

it('operations.recover waits for the payment list if the database’s clock is slow', async () => {
  const { sandbox, client, body, pass, stateOf } = aShop({ databaseIsBehind: 50_000, sandbox: { listDelay: '60s' } })
  sandbox.faults.add({ at: 'after', reset: true })
  await failureOf(client.payments.create(body, { idempotencyKey: 'create-1' }))

  pass(30_000)
  await client.operations.recover()
  expect(await stateOf('create-1')).toBe('unknown')

  pass(62_000)
  await client.operations.recover()
  expect(await stateOf('create-1')).toBe('succeeded')
})

it.each([
  [95_000, -50_000],
  [200_000, 0],
])('operations.recover waits for the list if the database’s clock was set back %i ms', async (ms, before) => {
  const shop = aShop({ databaseIsBehind: before, sandbox: { listDelay: '60s' } })
  const { sandbox, client, body, pass, setDatabaseBehind, stateOf } = shop
  const declined = { ...body, paymentMethodToken: sandbox.tokens.declined }
  await client.payments.create(declined, { idempotencyKey: 'create-1' })
  setDatabaseBehind(before + ms)
  pass(10_000)
  sandbox.faults.add({ at: 'after', reset: true, operation: 'payments.create' })
  await failureOf(client.payments.create(body, { idempotencyKey: 'create-2' }))

  for (const ms of [0, 57_000]) {
    pass(ms)
    await client.operations.recover()
    expect(await stateOf('create-2')).toBe('unknown')
  }

  pass(96_000)
  await client.operations.recover()
  expect(await stateOf('create-2')).toBe('succeeded')
})

it.each([
  [50_000, -45_000],
  [0, -120_000],
])('recover finds a payment after the database’s clock changes from %i to %i ms', async (before, after) => {
  const shop = aShop({ databaseIsBehind: before })
  const { sandbox, client, body, pass, setDatabaseBehind, stateOf } = shop
  const declined = { ...body, paymentMethodToken: sandbox.tokens.declined }
  await client.payments.create(declined, { idempotencyKey: 'create-1' })
  setDatabaseBehind(after)
  pass(10_000)
  sandbox.faults.add({ at: 'after', reset: true, operation: 'payments.create' })
  await failureOf(client.payments.create(body, { idempotencyKey: 'create-2' }))

  pass(300_000)
  await client.operations.recover()

  expect(await stateOf('create-2')).toBe('succeeded')
})

it('operations.recover finds the payment if the database’s clock is two minutes fast', async () => {
  const { sandbox, client, body, pass, stateOf } = aShop({ databaseIsBehind: -120_000 })
  sandbox.faults.add({ at: 'after', reset: true })
  await failureOf(client.payments.create(body, { idempotencyKey: 'create-1' }))

  pass(300_000)
  await client.operations.recover()

  expect(await stateOf('create-1')).toBe('succeeded')
})

describe('a payment that changed outside the journal', () => {
  it('requires a review of a rejected capture if only an older capture is visible', async () => {
    const { sandbox, client, body, pass } = aShop()
    const { id } = await client.payments.create(body)
    await new PaymentsClient(sandbox.clientOptions()).payments.capture(id, { amount: 300 })
    pass(61_000)
    const capture = () => client.payments.capture(id, { amount: 300 }, { idempotencyKey: 'capture-1' })
    sandbox.faults.add({ at: 'before', reset: true, operation: 'payments.capture' })
    await failureOf(capture())
    const rejection = { error: { errorId: 'AmountTooLarge', description: 'no' } }
    sandbox.faults.add({ at: 'before', status: 422, body: rejection, operation: 'payments.capture' })

    expect(await failureOf(capture())).toMatchObject({ outcome: 'unknown', retry: 'check-first' })
    expect(await client.operations.get('capture-1')).toMatchObject({
      state: 'needs_review',
      reason: 'the payment was last updated before this capture was sent',
    })
  })

  it('finds a capture of a payment that was cancelled and kept its captured amount', async () => {
    const { sandbox, client, body, pass, stateOf } = aShop()
    const { id } = await client.payments.create(body)
    sandbox.faults.add({ at: 'after', reset: true, operation: 'payments.capture' })
    await failureOf(client.payments.capture(id, { amount: 300 }, { idempotencyKey: 'capture-1' }))
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init)
      return Response.json({ ...((await response.json()) as object), status: 'CANCELLED' }, response)
    }

    pass(90_000_000)
    await client.withOptions({ fetch }).operations.recover()

    expect(await stateOf('capture-1')).toBe('succeeded')
  })

  it('finds a refund of a payment that was captured after its snapshot', async () => {
    const { sandbox, client, body } = aShop({ sandbox: { idempotency: 'conflict' } })
    const { id } = await client.payments.create(body)
    await new PaymentsClient(sandbox.clientOptions()).payments.capture(id)
    const refund = () => client.payments.refund(id, undefined, { idempotencyKey: 'refund-1' })
    sandbox.faults.add({ at: 'after', reset: true, operation: 'payments.refund' })
    await failureOf(refund())
    sandbox.faults.add({ at: 'before', status: 503, operation: 'payments.get' })

    await refund()

    const record = { state: 'succeeded', transactionId: expect.any(String) }
    expect(await client.operations.get('refund-1')).toMatchObject(record)
  })
})

describe('a journal with responseValidation: off', () => {
  /** Creates a client whose responses contain these transactions. */
  function aClientWith(transactions: unknown) {
    const shop = aShop()
    const fetch: typeof shop.sandbox.fetch = async (input, init) => {
      const response = await shop.sandbox.fetch(input, init)
      return Response.json({ ...((await response.json()) as object), transactions }, response)
    }
    return { ...shop, client: shop.client.withOptions({ fetch, responseValidation: 'off' }) }
  }

  it('records operations on a payment whose transactions are null', async () => {
    const { client, body, stateOf } = aClientWith(null)

    const { id } = await client.payments.create(body, { idempotencyKey: 'create-1' })
    await client.payments.capture(id, {}, { idempotencyKey: 'capture-1' })
    await client.payments.refund(id, {}, { idempotencyKey: 'refund-1' })

    const keys = ['create-1', 'capture-1', 'refund-1']
    expect(await Promise.all(keys.map(stateOf))).toEqual(['succeeded', 'succeeded', 'succeeded'])
  })

  it('returns a created payment even if its transactions are unreadable', async () => {
    const { client, body, pass, stateOf } = aClientWith([null])

    const payment = await client.payments.create(body, { idempotencyKey: 'create-1' })

    expect(payment.status).toBe('AUTHORIZED')
    expect(await stateOf('create-1')).toBe('unknown')
    pass(300_000)
    await client.operations.recover()
    expect(await stateOf('create-1')).toBe('succeeded')
  })
})

describe('a refund while an equal refund has no transaction ID', () => {
  /** Creates a shop with a paid payment. Its service omits the IDs of refunds. */
  async function aShopWithoutIds() {
    const { sandbox, client: original, body, stateOf } = aShop()
    const client = original.withOptions({
      async fetch(input, init) {
        const response = await sandbox.fetch(input as string, init)
        const { transactions, ...payment } = await response.json()
        const shown = transactions?.map((transaction: object) => ({
          ...transaction,
          processorTransactionId: undefined,
        }))
        return Response.json({ ...payment, transactions: shown }, response)
      },
    })
    const { id } = await client.payments.create(body)
    await client.payments.capture(id)
    const refund = (idempotencyKey: string, fault?: object) => {
      if (fault) sandbox.faults.add({ ...fault, at: 'before', operation: 'payments.refund' })
      return client.payments.refund(id, { amount: 200 }, { idempotencyKey })
    }
    const rejection = { status: 422, body: { error: { errorId: 'InvalidPaymentStatus', description: 'no' } } }
    return { client, refund, reject: (key: string) => failureOf(refund(key, rejection)), stateOf }
  }

  it('requires a review if the equal refund preceded', async () => {
    const { refund, reject, stateOf } = await aShopWithoutIds()
    await refund('refund-1')
    await failureOf(refund('refund-2', { reset: true }))

    await reject('refund-2')

    expect(await stateOf('refund-2')).toBe('needs_review')
  })

  it('requires a review if the equal refund followed', async () => {
    const { refund, reject, stateOf } = await aShopWithoutIds()
    await failureOf(refund('refund-1', { reset: true }))
    await refund('refund-2')

    await reject('refund-1')

    expect(await stateOf('refund-1')).toBe('needs_review')
  })

  it('requires a review if the equal refund was sent before, and executed afterwards', async () => {
    const { refund, reject, stateOf } = await aShopWithoutIds()
    await failureOf(refund('refund-1', { reset: true }))
    await failureOf(refund('refund-2', { reset: true }))
    await refund('refund-1')

    await reject('refund-2')

    expect(await stateOf('refund-2')).toBe('needs_review')
  })

  it('is retried by recover after a lost request', async () => {
    const { client, refund, stateOf } = await aShopWithoutIds()
    await refund('refund-1')
    await failureOf(refund('refund-2', { reset: true }))

    await client.operations.recover()

    expect(await stateOf('refund-2')).toBe('succeeded')
  })
})

it('recover finishes equal refunds while an older one can no longer be retried', async () => {
  const { sandbox, client, body, pass, stateOf } = aShop({ sandbox: { idempotency: 'conflict' } })
  const { id } = await client.payments.create(body)
  await client.payments.capture(id)
  const refund = async (idempotencyKey: string, at: 'before' | 'after') => {
    sandbox.faults.add({ at, reset: true, operation: 'payments.refund' })
    await failureOf(client.payments.refund(id, { amount: 200 }, { idempotencyKey }))
  }
  await refund('refund-1', 'before')
  pass(25 * 3_600_000)
  await refund('refund-2', 'after')
  await refund('refund-3', 'after')

  for (let round = 0; round < 3; round++) {
    pass(61_000)
    await client.operations.recover()
  }

  const states = await Promise.all(['refund-1', 'refund-2', 'refund-3'].map(stateOf))
  expect(states).toEqual(['needs_review', 'succeeded', 'succeeded'])
})

describe('captures that are sent within the same millisecond', () => {
  async function anAuthorizedPayment() {
    const shop = aShop()
    const { id } = await shop.client.payments.create(shop.body)
    const capture = (idempotencyKey: string, amount: number, options = {}) =>
      shop.client.payments.capture(id, { amount }, { idempotencyKey, ...options })
    return { ...shop, capture }
  }

  it('requires a review of the captures if any of them may have taken effect', async () => {
    const { client, sandbox, capture, pass } = await anAuthorizedPayment()
    for (const key of ['capture-1', 'capture-2']) {
      sandbox.faults.add({ at: 'before', reset: true, operation: 'payments.capture' })
      await failureOf(capture(key, 100))
    }
    await capture('capture-1', 100)
    pass(90_000_000)

    await client.operations.recover()
    expect(await client.operations.get('capture-2')).toMatchObject({ state: 'needs_review' })
  })

  it('marks captures as rejected if they still have no effect after 90 s', async () => {
    const { client, sandbox, capture, pass } = await anAuthorizedPayment()
    await capture('capture-1', 100)
    sandbox.faults.add({ at: 'before', status: 400, body: '' })

    expect(await failureOf(capture('capture-2', 999_999, { maxRetries: 1 }))).toMatchObject({ retry: 'same-key' })
    pass(90_000)
    expect(await failureOf(capture('capture-2', 999_999))).toMatchObject({ retry: 'new-key' })
    expect(await client.operations.get('capture-2')).toMatchObject({ state: 'rejected' })
  })
})

async function aSqliteShop(options: object = {}) {
  const database = openDatabase()
  const journal = createJournal(database)
  await journal.migrate()
  const sandbox = createSandbox()
  const client = new PaymentsClient(sandbox.clientOptions({ journal, ...options }))
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }
  return { database, sandbox, client, body }
}

type SqliteShop = Awaited<ReturnType<typeof aSqliteShop>>

describe('a client with a journal in SQLite', () => {
  it('sends no retry if the database stops responding during the first request', async () => {
    const { passUntil } = stopClock()
    const { database, sandbox, client, body } = await aSqliteShop({ timeout: 30_000, maxRetries: 1 })
    sandbox.faults.add({ hang: true })
    const failing = failureOf(client.payments.create(body, { idempotencyKey: 'create-1' }))
    await othersFinish()
    database.exec('ALTER TABLE payments_client_claims RENAME COLUMN owner TO owner2')

    await passUntil(failing)

    expect(await failing).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'unknown', retry: 'same-key' })
    expect(sandbox.requests).toHaveLength(1)
  })

  it.each([
    ['operations.run', ({ client }: SqliteShop) => client.operations.run('create-1')],
    ['payments.create', ({ client, body }: SqliteShop) => client.payments.create(body, { idempotencyKey: 'create-1' })],
  ])('sends nothing in %s if the database is down, and advises the same key', async (_, call) => {
    const shop = await aSqliteShop()
    const { database, sandbox, client, body } = shop
    database.exec('BEGIN')
    await client.operations.plan(database, { key: 'create-1', operation: 'payments.create', body })
    database.exec('COMMIT')
    database.exec('ALTER TABLE payments_client_claims RENAME COLUMN owner TO owner2')

    const error = await failureOf(call(shop))

    const result = { outcome: 'not_sent', retry: 'same-key', idempotencyKey: 'create-1' }
    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', ...result, cause: expect.any(Error) })
    expect(error.message).toContain(
      'The journal is not available, so nothing was sent: its database failed (see error.cause). Retry with the same key',
    )
    expect(sandbox.requests).toEqual([])
    database.exec('ALTER TABLE payments_client_claims RENAME COLUMN owner2 TO owner')
    expect(await client.operations.recover()).toMatchObject({ finished: 1 })
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('resolves but leaves the record open if the database fails after the request', async () => {
    const onResult = vi.fn()
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const { database, sandbox, client, body } = await aSqliteShop({ hooks: { onResult }, logger })
    const rename = (from: string, to: string) =>
      database.exec(`ALTER TABLE payments_client_operations RENAME COLUMN ${from} TO ${to}`)
    const broken = client.withOptions({
      fetch: async (input: string, init: object) => {
        const response = await sandbox.fetch(input, init)
        rename('details', 'details2')
        return response
      },
    })

    const payment = await broken.payments.create(body, { idempotencyKey: 'create-1' })

    expect(payment.status).toBe('AUTHORIZED')
    expect(onResult.mock.calls.at(-1)?.[0]).toMatchObject({ outcome: 'succeeded', journalError: expect.any(Error) })
    expect(logger.error.mock.calls.at(-1)?.[0]).toContain('the journal could not store the result')
    rename('details2', 'details')
    expect(await client.operations.get('create-1')).toMatchObject({ state: 'sent' })
  })

  it('recover waits 150 s for the payment of a request whose result was not stored', async () => {
    let time = Date.now()
    let isLocked = false
    const database = new DatabaseSync(':memory:')
    database.function('unixepoch', { varargs: true }, () => time / 1000)
    const exec = (sql: string) => {
      if (isLocked && sql.startsWith('BEGIN')) {
        isLocked = false
        throw new Error('database is locked')
      }
      database.exec(sql)
    }
    const journal = createJournal({ exec, prepare: (sql: string) => database.prepare(sql) })
    await journal.migrate()
    const sandbox = createSandbox({ now: new Date(time) })
    const client = new PaymentsClient(sandbox.clientOptions({ journal, maxRetries: 0 }))
    const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order', currencyCode: 'EUR', amount: 700 }
    const recoverAfter = (ms: number) => {
      time += ms
      sandbox.clock.advance(ms)
      return client.operations.recover()
    }
    const fetch = async () => {
      isLocked = true
      throw new TypeError('fetch failed')
    }

    await failureOf(client.withOptions({ fetch }).payments.create(body, { idempotencyKey: 'create-1' }))

    expect(isLocked).toBe(false)
    expect(await recoverAfter(0)).toMatchObject({ open: 1 })
    expect(await recoverAfter(149_000)).toMatchObject({ open: 1 })
    expect(await recoverAfter(4_000)).toMatchObject({ finished: 1 })
    expect(await client.operations.get('create-1')).toMatchObject({ state: 'not_executed' })
  })

  it('explains the conflict if the connection already has an open transaction', async () => {
    const { database, client, sandbox, body } = await aSqliteShop()
    database.exec('BEGIN')

    const error = await failureOf(client.payments.create(body))

    expect(error.message).toContain('a transaction is open on its connection')
    expect(sandbox.requests).toEqual([])
  })

  it('does not disturb the shop’s concurrent transactions that call planSync', async () => {
    const { database, client, body } = await aSqliteShop()
    const order = (key: string) => client.operations.planSync(database, { key, operation: 'payments.create', body })
    const inTransaction = async (work: () => void) => {
      database.exec('BEGIN IMMEDIATE')
      try {
        work()
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    }

    const results = await Promise.allSettled([
      inTransaction(() => order('pay-1')),
      inTransaction(() => order('pay-1')),
      inTransaction(() => {
        order('pay-2')
        throw new Error('no stock')
      }),
      client.operations.run('pay-1'),
    ])

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(await client.operations.list()).toMatchObject([{ key: 'pay-1', state: 'succeeded' }])
  })

  it('rolls back the transaction if onSettled returns a promise', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
    const { client, body } = await aSqliteShop({ logger })
    await client.payments.create(body, { idempotencyKey: 'create-1' })

    await client.operations.recover({ onSettled: () => Promise.resolve() })

    expect(await client.operations.get('create-1')).not.toHaveProperty('acknowledgedAt')
    expect(logger.error.mock.calls.at(-1)?.[0]).toContain('the function onSettled failed')
  })
})

describe('the validation of journals and their options', () => {
  it.each([
    [{ keyLifetime: 0 }, 'keyLifetime must be an integer of at least 1'],
    [{ resendFor: -1 }, 'resendFor must be an integer of at least 0'],
    [{ storeBodies: 'no' }, 'storeBodies must be true or false'],
    [{ rememberfor: 5 }, 'rememberfor is not an option: did you mean "rememberFor"?'],
  ])('rejects the options %j of createJournal and createMemoryJournal', (options, message) => {
    expect(() => createMemoryJournal(options as never)).toThrow(message)
    expect(() => createJournal(openDatabase(), options as never)).toThrow(message)
  })

  it('rejects a client option `journal` that is not from createJournal', () => {
    const sandbox = createSandbox()
    for (const journal of [{}, createWebhookStore(openDatabase()), 'journal']) {
      expect(() => new PaymentsClient(sandbox.clientOptions({ journal: journal as never }))).toThrow(
        'journal must be a journal from createJournal or createMemoryJournal',
      )
    }
  })

  it('throws an error if client.operations is used without a journal', () => {
    const client = new PaymentsClient(createSandbox().clientOptions())

    expect(() => client.operations).toThrow('client.operations needs the option journal')
  })
})
