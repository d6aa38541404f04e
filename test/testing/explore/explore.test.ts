import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PaymentsClient } from 'payments-client'
import { type ExploreOptions, explore, type StartContext } from 'payments-client/sandbox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { explorationOf, type Mistake, mistakes } from './shop.js'

/** Whether to explore with a larger budget. */
const isLong = process.env['RUNS'] !== undefined

// Hides the timelines that `explore` prints for failing runs.
beforeEach(() => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  return () => log.mockRestore()
})

describe('explore', () => {
  it('reports no failure for a shop that follows the guides', async () => {
    const disturbances = isLong
      ? { concurrency: 8 }
      : { faults: ['reset-after', 'late-effect'] as const, concurrency: 1 }
    const budget = isLong ? 5_000 : 24
    const report = await explore({ ...explorationOf(), ...disturbances, budget })

    expect(report).toMatchObject({ failures: [], runs: budget })
  })

  it.each(mistakes)('finds the shop bug "%s", and replays the failing run', async (mistake) => {
    const disturbances = isLong ? { budget: 500 } : { ...none, budget: 20, ...shownBy[mistake] }
    const { failures } = await explore({ ...explorationOf(mistake), ...disturbances })

    const [first] = failures
    if (first === undefined) return expect.fail('No failure was found')
    expect(first.schedule.length).toBeLessThanOrEqual(3)
    const replayed = await explore({ ...explorationOf(mistake), replay: first.replay })
    expect(replayed.failures).toContainEqual(first)
  })

  const none = { faults: [], crashes: [], webhooks: [] } as const

  /** The disturbances that show each shop bug. The nightly check tries all disturbances. */
  const shownBy: Record<Mistake, Pick<ExploreOptions<never>, 'faults' | 'crashes' | 'webhooks' | 'budget'>> = {
    'new key per retry': { faults: ['reset-after'] },
    'key without attempt number': none,
    '400 for every rejected call': { crashes: ['after-effect'] },
    'trusts a cut-off 409': { faults: ['cut-body'], crashes: ['after-effect'], budget: 60 },
    'charges late': { crashes: ['before'] },
    'matches the latest refund': { faults: ['reset-after'] },
    'no deduplication': { webhooks: ['duplicate'] },
    'writes stale events': { webhooks: ['reorder'] },
    'captures before storing the order': { crashes: ['after-effect'] },
    'crashes between call and write': { crashes: ['after-response'] },
    'refunds again in a job': { faults: ['reset-after'] },
    'skips a page of the list': { crashes: ['after-effect'] },
  }

  it('returns the same report for the same seed', async () => {
    const run = async (concurrency: number) =>
      JSON.stringify(await explore({ ...explorationOf('new key per retry'), budget: 24, concurrency }))

    const first = await run(8)

    for (let times = 1; times < (isLong ? 10 : 2); times++) expect(await run(times)).toBe(first)
  })
})

interface Orders {
  paid?: string
  count?: number
  received?: string[]
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A shop that takes the payment for one order. */
const paying = {
  start: ({ clientOptions }: StartContext<Orders>) => new PaymentsClient({ ...clientOptions, maxRetries: 0 }),
  scenario: (client: PaymentsClient) => pay(client),
  sandbox: { idempotency: 'replay' as const },
}

const order = { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }

const pay = (client: PaymentsClient, idempotencyKey = 'pay-order-17') =>
  client.payments.create(order, { idempotencyKey })

describe('explore()', () => {
  it('reports the runs, requests and untried fault pairs, and each failure', async () => {
    const report = await explore({
      ...paying,
      start: ({ clientOptions, storage }) => {
        storage.count = (storage.count ?? 0) + 1
        return new PaymentsClient({ ...clientOptions, maxRetries: 0 })
      },
      scenario: (client) => pay(client, `pay-order-17-${Math.random()}`),
      faults: [],
      crashes: ['after-effect'],
      webhooks: [],
      afterCrash: 'repeat',
    })

    expect(report).toEqual({ runs: 3, points: expect.any(Number), pairsLeftOut: 0, failures: [expect.any(Object)] })
    expect(report.failures[0]).toEqual({
      rule: 'charged twice',
      message: 'order-17 was charged twice (2 × €50.00)',
      schedule: [{ point: 1, kind: 'after-effect', request: expect.stringContaining('payments.create pay-order-17-') }],
      timeline: expect.stringMatching(
        /^order-17 was charged twice \(2 × €50.00\)\n {2}1 {2}payments.create pay-order-17-\S+ {3}took effect, response lost\n {2}2 {2}shop: the process dies +← fault\n {2}3 {2}shop: starts again\n {2}4 {2}payments.create pay-order-17-\S+ {3}AUTHORIZED\nReplay: explore\(\{ …, replay: '\S+' \}\)$/,
      ),
      ledger: [expect.objectContaining({ operation: 'payments.create' }), expect.any(Object)],
      replay: expect.any(String),
    })
  })

  it('prints the timeline of each failure only once', async () => {
    const { failures } = await explore({ ...paying, check: () => Promise.reject(new Error('no receipt')) })

    expect(vi.mocked(console.log).mock.calls).toEqual([[`\n${failures[0]?.timeline}\n`]])
  })

  it.each([1, 2, 7])('makes exactly as many runs as its budget allows: %i', async (budget) => {
    const createStorage = vi.fn(() => ({}))

    const { runs, pairsLeftOut } = await explore({ ...paying, createStorage, budget })

    expect({ runs, storages: createStorage.mock.calls.length }).toEqual({ runs: budget, storages: budget })
    expect(pairsLeftOut).toBe(0)
  })

  it('reports progress after each run', async () => {
    const onProgress = vi.fn()

    const { runs } = await explore({
      ...paying,
      budget: 10,
      onProgress,
      check: ({ ledger }) => expect(ledger).toHaveLength(1),
    })

    expect(onProgress).toHaveBeenCalledTimes(runs)
    expect(onProgress).toHaveBeenLastCalledWith({ runs, budget: 10, failures: expect.any(Number) })
    expect(onProgress.mock.lastCall?.[0].failures).toBeGreaterThan(0)
  })

  it('runs only the schedule in `replay`, and waits for onRequest before each request', async () => {
    const options = { ...paying, check: ({ ledger }: { ledger: readonly object[] }) => expect(ledger).toHaveLength(1) }
    const { failures } = await explore({ ...options, faults: ['refused'] })
    const requests: string[] = []

    const replayed = await explore({
      ...options,
      replay: String(failures[0]?.replay),
      onRequest: async ({ number, operation, key, request }) => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        requests.push([number, operation, key, request.method].join(' '))
      },
    })

    expect(replayed).toEqual({ runs: 1, points: 1, pairsLeftOut: 0, failures: [failures[0]] })
    expect(requests).toEqual(['1 payments.create pay-order-17 POST'])
  })
})

describe('a run of explore()', () => {
  it.each([
    // The shop's jobs change the storage in the first two rounds.
    ['calls the background jobs until two rounds in a row change nothing', 2, 4, []],
    [
      'stops background jobs that still change something after 20 rounds',
      100,
      20,
      [{ rule: 'jobs never end', schedule: [] }],
    ],
  ])('%s', async (_, changes, calls, expected) => {
    const settle = vi.fn()

    const { failures } = await explore({
      ...paying,
      start: (context) => ({ client: paying.start(context), storage: context.storage }),
      scenario: ({ client }) => pay(client),
      settle: ({ storage }) => {
        settle()
        storage.count = Math.min(changes, (storage.count ?? 0) + 1)
      },
      budget: 1,
    })

    expect(settle).toHaveBeenCalledTimes(calls)
    expect(failures).toMatchObject(expected)
  })

  it.each([
    ['settle' as const, ['scenario', 'jobs']],
    ['repeat' as const, ['scenario', 'scenario', 'jobs']],
  ])('continues after a crash as the option afterCrash specifies: %s', async (afterCrash, expected) => {
    const calls: string[][] = []

    await explore({
      createStorage: (): string[] => [],
      start: ({ clientOptions, storage }) => ({ client: new PaymentsClient(clientOptions), storage }),
      scenario: async ({ client, storage }) => {
        storage.push('scenario')
        await pay(client)
      },
      settle: ({ storage }) => void (storage.includes('jobs') || storage.push('jobs')),
      check: ({ storage }) => void calls.push(storage),
      faults: [],
      webhooks: [],
      crashes: ['after-effect'],
      afterCrash,
      budget: 4,
    })

    expect(calls.at(-1)).toEqual(expected)
  })

  it('creates storage of any type before the run, and removes it afterwards', async () => {
    const storages = ['schema-1', 'schema-2', 'schema-3']
    const removed: string[] = []

    await explore({
      scenario: paying.scenario,
      start: ({ clientOptions, storage }) => {
        expect(storages).toContain(storage)
        return new PaymentsClient(clientOptions)
      },
      createStorage: async () => storages[removed.length] ?? '',
      check: ({ storage }) => expect(storage).toBe(storages[removed.length]),
      disposeStorage: async (storage) => void removed.push(storage),
      concurrency: 1,
      budget: 3,
    })

    expect(removed).toEqual(storages)
  })

  it('starts a process again in the next round if its start failed because of a fault', async () => {
    const { failures } = await explore({
      sandbox: paying.sandbox,
      start: async ({ clientOptions, storage }) => {
        const client = new PaymentsClient({ ...clientOptions, maxRetries: 0 })
        await client.payments.get('pay_unknown').catch((error) => {
          if (error.httpStatus !== 404) throw error
        })
        return { client, storage }
      },
      scenario: () => {},
      settle: async ({ client, storage }) => {
        storage.paid ??= (await pay(client)).id
      },
      check: ({ storage }) => expect(storage.paid).toBeDefined(),
      budget: 40,
    })

    expect(failures).toEqual([])
  })

  it('sends no requests of a dead process, and never settles its client calls', async () => {
    const settled: string[] = []
    const { failures } = await explore({
      ...paying,
      scenario: (client) => {
        const next = async (result: string) => {
          settled.push(result)
          await client.payments.get('pay_unknown')
        }
        const calls = [pay(client), client.payments.get('pay_unknown')]
        return Promise.all(
          calls.map((call) =>
            call.then(
              () => next('ok'),
              () => next('failed'),
            ),
          ),
        )
      },
      replay: 'replay/settle/1:before',
      check: ({ sandbox }) => expect(sandbox.requests).toEqual([]),
    })

    expect(failures).toEqual([])
    expect(settled).toEqual([])
  })

  it('allows garbage collection of a run whose process died', async () => {
    const storages: WeakRef<object>[] = []
    const createStorage = () => {
      const storage = {}
      storages.push(new WeakRef(storage))
      return storage
    }

    await explore({ ...paying, createStorage, faults: [], webhooks: [] })
    // Waits until the functions of the last run have returned. Their variables would keep the storage in memory.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()

    expect(storages.length).toBeGreaterThan(5)
    expect(storages.filter((storage) => storage.deref() !== undefined)).toEqual([])
  })

  it('advances the clock to the timers of shop and client in their due order', async () => {
    const events: (string | number)[] = []
    await explore({
      start: ({ clientOptions, clock }) => ({ client: new PaymentsClient(clientOptions), clock }),
      scenario: async ({ client, clock }) => {
        const startedAt = clock.now()
        const after = (ms: number) =>
          new Promise<void>((resolve) => void clock.setTimeout(() => resolve(void events.push(ms)), ms))
        clock.clearTimeout(clock.setTimeout(() => events.push('cancelled'), 10))
        await Promise.all([after(3_600_000), after(5_000), after(60_000)])
        events.push(clock.now() - startedAt)
        await pay(client)
      },
      budget: 1,
    })

    expect(events).toEqual([5_000, 60_000, 3_600_000, 3_600_000])
  })

  it.each([
    ['duplicate', 'AUTHORIZED AUTHORIZED SETTLED'],
    ['delay', 'SETTLED AUTHORIZED'],
    ['reorder', 'SETTLED AUTHORIZED'],
    ['lose', 'SETTLED AUTHORIZED'],
    ['during-crash', 'AUTHORIZED AUTHORIZED'],
  ])('delivers webhooks with the webhook fault "%s"', async (kind, expected) => {
    const late: number[] = []
    let received = ''
    await explore({
      ...paying,
      start: ({ clientOptions, clock, receive, storage }) => {
        storage.received ??= []
        storage.count = (storage.count ?? 0) + 1
        const process = storage.count
        receive(async (request) => {
          const { payment } = await request.json()
          storage.received?.push(payment.status)
          clock.setTimeout(() => late.push(process), 1)
          return new Response()
        })
        return new PaymentsClient({ ...clientOptions, maxRetries: 0 })
      },
      scenario: async (client) => {
        const { id } = await pay(client)
        await client.payments.capture(id, {}, { idempotencyKey: 'capture-17' })
      },
      check: ({ storage }) => {
        received = storage.received?.join(' ') ?? ''
      },
      replay: `replay/settle/1:${kind}`,
    })

    expect(received).toBe(expected)
    // A timer that a dead process sets never fires.
    expect(late).toContain(kind === 'during-crash' ? 2 : 1)
    if (kind === 'during-crash') expect(late).not.toContain(1)
  })

  it('lets a dying process handle its last response, without new requests', async () => {
    const { failures } = await explore({
      ...paying,
      start: (context) => ({ client: paying.start(context), storage: context.storage }),
      scenario: async ({ client, storage }) => {
        storage.paid = (await pay(client)).id
        await client.payments.get(storage.paid)
      },
      check: ({ sandbox, ledger, storage }) => {
        expect(storage.paid).toBe(ledger[0]?.resourceId)
        expect(sandbox.requests).toHaveLength(1)
      },
      replay: 'replay/settle/1:after-response',
    })

    expect(failures).toEqual([])
  })
})

describe('clock.pause() of explore()', () => {
  it('stops the virtual time until its promise settles', async () => {
    const times: number[] = []
    const { failures } = await explore({
      ...paying,
      start: async ({ clock, clientOptions, storage }) => {
        const startedAt = clock.now()
        clock.setTimeout(() => {}, 60_000)
        // The database responds after more turns of the event loop than explore waits otherwise.
        const statement = (async () => {
          for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
          return clock.now()
        })()
        times.push((await clock.pause(statement)) - startedAt)
        return { client: new PaymentsClient(clientOptions), storage }
      },
      scenario: ({ client }) => pay(client),
      budget: 1,
    })

    expect(failures).toEqual([])
    expect(times).toEqual(times.map(() => 0))
  })
})

describe('the rules of explore()', () => {
  it('turns off individual rules', async () => {
    const twice: ExploreOptions<PaymentsClient, Orders> = {
      ...paying,
      scenario: async (client) => {
        await pay(client)
        await pay(client, 'pay-order-17-b')
      },
      budget: 40,
    }

    const { failures } = await explore(twice)
    const { failures: others, runs } = await explore({ ...twice, rules: { 'charged twice': false } })

    expect(failures).toMatchObject([{ rule: 'charged twice' }])
    expect(others).toEqual([])
    expect(runs).toBe(40)
  })

  it('allows only one operation per idempotency key', async () => {
    const { failures } = await explore({
      ...paying,
      scenario: async (client) => {
        const { id } = await pay(client, 'order-17')
        await client.payments.capture(id, {}, { idempotencyKey: 'order-17' })
      },
    })

    const message = 'The idempotency key order-17 took effect twice (payments.create, payments.capture)'
    expect(failures).toMatchObject([{ rule: 'effect twice', message, schedule: [] }])
  })

  it('reports unhandled rejections, and hides them from the test runner’s listeners', async () => {
    const before = process.listeners('unhandledRejection')

    const both = await Promise.all(
      [1, 2].map(() =>
        explore({
          ...paying,
          scenario: async (client) => {
            await pay(client).catch((error) => void Promise.reject(error))
          },
          faults: ['refused'],
          webhooks: [],
          crashes: [],
        }),
      ),
    )

    for (const { failures } of both) {
      expect(failures).toMatchObject([{ rule: 'unhandled rejection', schedule: [{ point: 1, kind: 'refused' }] }])
    }
    expect(process.listeners('unhandledRejection')).toEqual(before)
  })
})

it('explore waits for a real timer of the shop', async () => {
  const { failures } = await explore({
    ...paying,
    scenario: async (client) => {
      await new Promise((resolve) => void setTimeout(resolve, 800))
      await pay(client)
    },
    budget: 1,
  })

  expect(failures).toEqual([])
})

describe('explore with a lock that stays after a failure', () => {
  interface Lock {
    isHeld: boolean
    readonly waiting: (() => void)[]
  }
  let timers = 0
  const waits: [name: string, wait: (lock: Lock, context: StartContext<Lock>) => Promise<void>][] = [
    ['a promise', ({ waiting }) => new Promise((resolve) => void waiting.push(resolve))],
    [
      'timers',
      async (lock, { clock }) => {
        while (lock.isHeld) {
          timers++
          await new Promise<void>((resolve) => void clock.setTimeout(resolve, 100))
        }
      },
    ],
  ]

  it.each(waits)('reports each hanging step once, and stops waiting for it: %s', async (_, wait) => {
    timers = 0
    const { failures, runs } = await explore<{ pay(): Promise<unknown>; job(): Promise<void> }, Lock>({
      createStorage: () => ({ isHeld: false, waiting: [] }),
      start: (context) => {
        const client = new PaymentsClient(context.clientOptions)
        return {
          async pay() {
            if (context.storage.isHeld) await wait(context.storage, context)
            context.storage.isHeld = true
            await pay(client)
            context.storage.isHeld = false // a crash or an error skips this line
          },
          async job() {
            if (context.storage.isHeld) await wait(context.storage, context)
          },
        }
      },
      scenario: (shop) => shop.pay(),
      settle: (shop) => shop.job(),
      budget: 30,
      concurrency: 1,
    })

    expect(runs).toBeGreaterThan(20)
    expect(failures).toMatchObject([
      { rule: 'never ends', message: expect.stringMatching(/^(A job|The scenario) /), schedule: [{ point: 1 }] },
      { rule: 'never ends', message: expect.stringMatching(/^(A job|The scenario) /), schedule: [{ point: 1 }] },
    ])
    // Several times as many if each run waits as long as the first one.
    expect(timers).toBeLessThan(60_000)
  })
})

describe('invalid input of explore()', () => {
  const forever = () => new Promise<never>(() => {})

  it.each<[string, Partial<ExploreOptions<PaymentsClient, Orders>>, RegExp]>([
    ['has a scenario that never ends', { scenario: forever }, /^The scenario waits for something other than a request/],
    ['has jobs that never end', { settle: forever }, /^A job waits for something other than a request/],
    ['polls forever', { scenario: poll }, /^The shop sent more than 1000 requests$/],
    [
      'has a scenario that throws',
      { scenario: () => Promise.reject(new Error('no stock')) },
      /^The scenario failed without a fault: no stock$/,
    ],
    [
      'throws at the start',
      {
        start: () => {
          throw new Error('no database')
        },
      },
      /^start failed without a fault: no database$/,
    ],
    ['sends no request', { scenario: () => {} }, /^The scenario sent no request: create its PaymentsClient with/],
    [
      'has a client of its own',
      { scenario: (_, { sandbox }) => pay(new PaymentsClient(sandbox.clientOptions())) },
      /^The scenario sent no request: create its PaymentsClient with/,
    ],
    [
      'waits in real time',
      { scenario: (client) => new Promise((resolve) => setTimeout(resolve, 60_000)).then(() => pay(client)) },
      /^The scenario waits for something other than a request, a webhook or a timer of `clock`/,
    ],
    [
      'generates idempotency keys from the real time',
      { scenario: (client) => pay(client, `pay-${Date.now()}`) },
      /^The idempotency key of payments.create contains the real time, so runs are not comparable: use the `clock`/,
    ],
    [
      'sends different requests in two runs',
      {},
      /^Two runs without faults sent different requests, so runs are not comparable/,
    ],
  ])('explains in one sentence that the shop %s', async (title, options, message) => {
    let runs = 0
    const scenario = async (client: PaymentsClient) => {
      await pay(client)
      if (runs++ > 0) await client.payments.get('pay_unknown').catch(() => {})
    }
    const different = title.startsWith('sends different') ? { scenario } : {}

    const { failures } = await explore({ ...paying, ...different, ...options })

    expect(failures.map((failure) => failure.message)).toEqual([expect.stringMatching(message)])
  })

  async function poll(client: PaymentsClient) {
    for (;;) await client.payments.list({ limit: 1 })
  }

  it('accepts random idempotency keys, although they differ in each run', async () => {
    const { failures } = await explore({
      ...paying,
      scenario: (client) => pay(client, crypto.randomUUID()),
      crashes: [],
    })

    expect(failures).toEqual([])
  })

  it('rejects an unknown, missing or invalid option', async () => {
    await expect(explore({ ...paying, buget: 5 } as never)).rejects.toThrow('did you mean "budget"?')
    await expect(explore({ start: paying.start } as never)).rejects.toThrow('scenario')
    await expect(explore({ ...paying, replay: 'x' })).rejects.toThrow('must be the replay string of a failure')
    await expect(explore({ ...paying, faults: ['fire'] } as never)).rejects.toThrow("faults[0] must be 'refused'")
    await expect(explore({ ...paying, faults: 'refused' } as never)).rejects.toThrow(
      'faults must be an array of refused',
    )
    await expect(explore({ ...paying, rules: 'none' } as never)).rejects.toThrow('rules must be an object')
    await expect(explore({ ...paying, rules: { 'charged twic': false } } as never)).rejects.toThrow(
      'rules.charged twic is not an option: did you mean "charged twice"?',
    )
    await expect(explore({ ...paying, sandbox: { sed: 1 } } as never)).rejects.toThrow('did you mean "seed"?')
  })
})
