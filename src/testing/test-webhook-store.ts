import type { WebhookStore } from '../webhooks/index.js'

/** A test of one requirement for webhook stores. `run` rejects if the store violates the requirement. */
export interface WebhookStoreTest {
  readonly name: string
  run(): Promise<void>
}

type Check = (store: WebhookStore, key: string) => Promise<void>

/**
 * Returns the tests that every webhook store must pass, for any test runner. Skips optional functions that the store
 * does not have. Each test uses different keys, so all tests may share one database.
 *
 * @param createStore Returns the store to test.
 * @example
 * describe('my store', () => {
 *   for (const { name, run } of testWebhookStore(() => createMyStore(database))) it(name, run)
 * })
 */
export function testWebhookStore(createStore: () => WebhookStore | Promise<WebhookStore>): WebhookStoreTest[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async () => check(await createStore(), crypto.randomUUID()),
  }))
}

const minute = 60_000
const shortTtl = 40
const expiry = () => new Promise((resolve) => setTimeout(resolve, shortTtl * 3))

const checks: Record<string, Check> = {
  'grants a claim to only one of many concurrent owners': async (store, key) => {
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`)
    const results = await Promise.all(owners.map(async (owner) => store.claim(key, minute, owner)))
    equal(results.sort(), [...Array(19).fill('busy'), 'new'], 'claim')
  },
  'grants a claim to its owner again, and extends it': async (store, key) => {
    await store.claim(key, shortTtl, 'a')
    equal(await store.claim(key, minute, 'a'), 'new', 'second claim by the owner')
    await expiry()
    equal(await store.claim(key, minute, 'b'), 'busy', 'claim by another owner')
    equal((await store.complete(key, 'a')) ?? true, true, 'complete')
  },
  'remembers a completed delivery': async (store, key) => {
    await store.claim(key, minute, 'a')
    equal((await store.complete(key, 'a')) ?? true, true, 'complete')
    equal(await store.claim(key, minute, 'b'), 'done', 'claim')
    equal(await store.claim(key, minute, 'a'), 'done', 'claim by the same owner')
  },
  'keeps a completed delivery for longer than its claim': async (store, key) => {
    await store.claim(key, shortTtl, 'a')
    await store.complete(key, 'a')
    await expiry()
    equal(await store.claim(key, minute, 'b'), 'done', 'claim')
  },
  'grants a released claim to the next owner': async (store, key) => {
    await store.claim(key, minute, 'a')
    await store.release(key, 'a')
    equal(await store.claim(key, minute, 'b'), 'new', 'claim')
  },
  'grants an expired claim to only one other owner': async (store, key) => {
    await store.claim(key, shortTtl, 'a')
    await expiry()
    const results = await Promise.all(['b', 'c', 'd'].map(async (owner) => store.claim(key, minute, owner)))
    equal(results.sort(), ['busy', 'busy', 'new'], 'claim')
  },
  'ignores the previous owner of an expired claim': async (store, key) => {
    await store.claim(key, shortTtl, 'a')
    await expiry()
    await store.claim(key, minute, 'b')
    equal((await store.complete(key, 'a')) ?? false, false, 'complete by the late owner')
    await store.release(key, 'a')
    equal((await store.renew?.(key, minute, 'a')) ?? false, false, 'renew by the late owner')
    equal(await store.claim(key, minute, 'c'), 'busy', 'claim')
    equal((await store.complete(key, 'b')) ?? true, true, 'complete by the owner')
  },
  'keeps a completed delivery if an owner releases it': async (store, key) => {
    await store.claim(key, minute, 'a')
    await store.complete(key, 'a')
    await store.release(key, 'a')
    await store.release(key, 'b')
    equal((await store.complete(key, 'a')) ?? false, false, 'second complete')
    equal((await store.renew?.(key, minute, 'a')) ?? false, false, 'renew')
    equal(await store.claim(key, minute, 'c'), 'done', 'claim')
  },
  'lets the owner complete an expired claim that no other owner took': async (store, key) => {
    await store.claim(key, shortTtl, 'a')
    await expiry()
    equal((await store.complete(key, 'a')) ?? true, true, 'complete')
    equal(await store.claim(key, minute, 'b'), 'done', 'claim')
  },
  'renews a claim, even if it expired': async (store, key) => {
    if (!store.renew) return
    await store.claim(key, shortTtl, 'a')
    equal(await store.renew(key, minute, 'b'), false, 'renew by another owner')
    await expiry()
    equal(await store.renew(key, minute, 'a'), true, 'renew')
    equal(await store.claim(key, minute, 'b'), 'busy', 'claim')
  },
  'does not renew a released or unknown claim': async (store, key) => {
    if (!store.renew) return
    equal(await store.renew(key, minute, 'a'), false, 'renew of an unknown claim')
    await store.claim(key, minute, 'a')
    await store.release(key, 'a')
    equal(await store.renew(key, minute, 'a'), false, 'renew of a released claim')
    equal(await store.claim(key, minute, 'b'), 'new', 'claim')
  },
  'treats similar keys as different': async (store, key) => {
    const keys = [
      `resource:payment:${key}`,
      `resource:payment:${key} `,
      `RESOURCE:${key}`,
      `resource:${'é%_\'"€😀'}${key}`,
    ]
    for (const other of [key, ...keys, `resource:${'x'.repeat(500)}${key}`]) {
      equal(await store.claim(other, minute, 'a'), 'new', `claim of ${other}`)
    }
  },
  'records the newest time of a resource': async (store, key) => {
    if (!store.advance || !store.newest) return
    const time = Date.UTC(2026, 0, 31)
    equal((await store.newest(key)) ?? undefined, undefined, 'newest of an unknown resource')
    equal((await store.advance(key, time)) ?? undefined, undefined, 'first advance')
    equal(await store.advance(key, time - 1), time, 'advance to an earlier time')
    equal(await store.newest(key), time, 'newest after an earlier time')
    equal(await store.advance(key, time + 5), time, 'advance to a later time')
    equal(await store.newest(key), time + 5, 'newest after a later time')
  },
  'distinguishes times by microseconds': async (store, key) => {
    if (!store.advance || !store.newest) return
    const time = Date.UTC(2026, 0, 31) + 0.124
    await store.advance(key, time)
    equal(await store.advance(key, time - 0.001), time, 'advance to an earlier time')
    equal(await store.newest(key), time, 'newest')
  },
  'keeps the newest time when several are recorded at once': async (store, key) => {
    const { advance, newest } = store
    if (!advance || !newest) return
    const times = [5, 9, 1, 7, 3].map((ms) => Date.UTC(2026, 0, 31) + ms)
    await Promise.all(times.map(async (time) => advance.call(store, key, time)))
    equal(await newest.call(store, key), Math.max(...times), 'newest')
  },
  'runs a transaction once and returns its value': async (store, key) => {
    if (!store.transact) return
    const resource = { id: `payment:${key}`, timeMs: 1000 }
    const stale: boolean[] = []
    const work = async (_: unknown, isStale: boolean) => stale.push(isStale)
    equal(await store.transact(key, resource, work, { waitMs: minute }), { status: 'handled', value: 1 }, 'transact')
    equal(await store.transact(key, resource, work, { waitMs: minute }), { status: 'done' }, 'second transact')
    await store.transact(`${key}-2`, { ...resource, timeMs: 999 }, work, { waitMs: minute })
    await store.transact(`${key}-3`, resource, work)
    await store.transact(`${key}-4`, { id: resource.id }, work)
    await store.transact(`${key}-5`, undefined, work)
    equal(stale, [false, true, false, false, false], 'stale')
  },
  'rolls a transaction back if its work fails': async (store, key) => {
    const { transact } = store
    if (!transact) return
    const resource = { id: `payment:${key}`, timeMs: 1000 }
    const failed = await transact
      .call(store, key, resource, () => Promise.reject(new Error('work failed')), {})
      .catch((error: unknown) => String(error))
    equal(failed, 'Error: work failed', 'error')
    equal(await transact.call(store, key, { ...resource, timeMs: 1 }, async (_, stale) => stale), {
      status: 'handled',
      value: false,
    })
  },
  'runs only one of several concurrent transactions for a delivery': async (store, key) => {
    const { transact } = store
    if (!transact) return
    let runs = 0
    const results = await Promise.all(
      Array.from({ length: 5 }, () =>
        transact.call(store, key, undefined, async () => {
          runs++
          await new Promise((resolve) => setTimeout(resolve, 50))
        }),
      ),
    )
    equal(runs, 1, 'runs')
    equal(results.filter(({ status }) => status === 'handled').length, 1, 'handled')
  },
  'runs the transactions for a resource one at a time': async (store, key) => {
    const { transact } = store
    if (!transact) return
    const resource = { id: `payment:${key}` }
    const running = { now: 0, most: 0 }
    let start = () => {}
    let end = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const work = async () => {
      running.most = Math.max(running.most, ++running.now)
      start()
      await ended
      running.now--
    }
    const run = async (index: number, waitMs: number, work: () => Promise<void>) =>
      (await transact.call(store, `${key}-${index}`, resource, work, { waitMs })).status
    const first = [run(1, minute, work), run(2, minute, work)]
    await Promise.race([started, ...first])
    equal(await run(3, 10, async () => {}), 'busy', 'transact beyond waitMs')
    end()
    equal(await Promise.all(first), ['handled', 'handled'], 'transact within waitMs')
    equal(running.most, 1, 'concurrent transactions')
  },
}

function equal(actual: unknown, expected: unknown, name = 'result'): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (found !== wanted) throw new Error(`${name}: expected ${wanted}, but received ${found}`)
}
