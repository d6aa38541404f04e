import {
  type IdempotentRequestOptions,
  type Journal,
  type Outcome,
  PaymentsClient,
  PaymentsError,
  type Retry,
} from '../../../src/index.js'
import { createSandbox, type Effect, type Sandbox, type SandboxSnapshot } from '../../../src/testing/index.js'
import { type Fixture, operationNamed, prepare, type Subject } from './operations.js'
import { clients, type PlannedCall, type Schedule } from './schedule.js'
import { inVirtualTime } from './virtual-time.js'

/** The result of a call as the caller sees it. */
export interface Ending {
  readonly outcome: Outcome | 'success' | 'recovered'
  readonly retry?: Retry | undefined
  /** The idempotency key, if the client sent one. */
  readonly key?: string | undefined
  /** The id of the returned payment. */
  readonly returned?: string | undefined
}

/** The results of all calls with the same target, with their effects in the ledger. */
export interface Case {
  readonly operation: string
  readonly endings: readonly Ending[]
  readonly effects: readonly Effect[]
}

interface ScheduleResult {
  readonly cases: readonly Case[]
  /** Effects that no call caused. */
  readonly strays: readonly Effect[]
}

/** Opens an empty journal. */
export type OpenJournal = () => Promise<Journal>

/** Runs schedules on a sandbox, each from the same snapshot. */
export class Simulation {
  readonly #sandbox: Sandbox
  readonly #fixtures: readonly Fixture[]
  readonly #start: SandboxSnapshot
  readonly #openJournal: OpenJournal | undefined

  private constructor(sandbox: Sandbox, fixtures: readonly Fixture[], openJournal: OpenJournal | undefined) {
    this.#sandbox = sandbox
    this.#fixtures = fixtures
    this.#openJournal = openJournal
    this.#start = sandbox.snapshot()
  }

  /** @param openJournal Opens an empty journal for each schedule. Without it, the clients have no journal. */
  static async create(idempotency: Schedule['idempotency'], openJournal?: OpenJournal): Promise<Simulation> {
    const sandbox = createSandbox({ seed: 'ledger', now: new Date('2026-01-31T12:00:00Z'), idempotency })
    const client = new PaymentsClient(sandbox.clientOptions())
    // With only two of each resource, calls often share a target.
    return new Simulation(sandbox, [await prepare(client, sandbox), await prepare(client, sandbox)], openJournal)
  }

  async run(schedule: Schedule): Promise<ScheduleResult> {
    const sandbox = this.#sandbox
    sandbox.faults.clear()
    sandbox.restore(this.#start)
    const earlierEffects = sandbox.ledger.length
    const run = new ScheduleRun(sandbox, this.#fixtures, await this.#openJournal?.())
    await inVirtualTime(schedule.jitter, () => run.execute(schedule))
    sandbox.faults.clear()
    return run.compareWith(sandbox.ledger.slice(earlierEffects))
  }
}

/** The target of one or more calls, with their results. */
interface Target {
  readonly operation: PlannedCall['operation']
  readonly subject: Subject
  readonly endings: Ending[]
}

class ScheduleRun {
  readonly #fixtures: readonly Fixture[]
  readonly #sandbox: Sandbox
  readonly #clients: Record<keyof typeof clients, PaymentsClient>
  readonly #targets = new Map<string, Target>()
  #calls = 0

  constructor(sandbox: Sandbox, fixtures: readonly Fixture[], journal: Journal | undefined) {
    this.#sandbox = sandbox
    this.#fixtures = fixtures
    const createClient = ([name, options]: [string, object]) => [
      name,
      new PaymentsClient(
        sandbox.clientOptions({ ...options, ...(journal && { journal }), fetch: this.#fetchFor(name) }),
      ),
    ]
    this.#clients = Object.fromEntries(Object.entries(clients).map(createClient))
  }

  /** Returns the `fetch` for a client. For some clients, `fetch` simulates network errors. */
  #fetchFor(client: string): Sandbox['fetch'] {
    const { fetch } = this.#sandbox
    const refuse = () => Promise.reject(new TypeError('fetch failed', { cause: connectionRefused() }))
    let isRefused = false
    if (client === 'unreliable') {
      return (request, init) => {
        isRefused = !isRefused
        return isRefused ? refuse() : fetch(request, init)
      }
    }
    if (client === 'retryingFetch') {
      return async (request, init) => {
        const first = await fetch(request, init).catch(() => undefined)
        return first !== undefined && first.status < 500 ? first : refuse()
      }
    }
    return fetch
  }

  async execute({ rounds }: Schedule): Promise<void> {
    for (const { faults, calls } of rounds) {
      for (const fault of faults) this.#sandbox.faults.add(fault)
      await Promise.all(calls.map((call) => this.#make(call)))
    }
  }

  /** Compares the results of the calls with the ledger: finds the effects that each call caused. */
  async compareWith(effects: readonly Effect[]): Promise<ScheduleResult> {
    const client = new PaymentsClient(this.#sandbox.clientOptions())
    const strays = new Set(effects)
    const cases: Case[] = []
    for (const { operation, subject, endings } of this.#targets.values()) {
      const own: Effect[] = []
      for (const effect of effects) {
        if (effect.operation !== operation) continue
        if (await operationNamed(operation).isOf(effect, subject, client)) own.push(effect)
      }
      for (const effect of own) strays.delete(effect)
      cases.push({ operation, endings, effects: own })
    }
    return { cases, strays: [...strays] }
  }

  async #make(call: PlannedCall): Promise<void> {
    this.#calls += 1
    const { isKeyed, isShared } = operationNamed(call.operation)
    const number = isShared ? call.which + 1 : 1_000 + this.#calls
    const fixture = this.#fixtures[call.which] as Fixture
    const subject: Subject = { number, fixture, isTooMuch: call.isTooMuch }
    const id = `${call.operation} ${number}`
    const target = this.#targets.get(id) ?? { operation: call.operation, subject, endings: [] }
    this.#targets.set(id, target)

    const own = isKeyed && call.key !== 'of the client' ? { idempotencyKey: `own-${this.#calls}` } : {}
    const copies = 'idempotencyKey' in own && call.key === 'own, twice' ? 2 : 1
    const all = Array.from({ length: copies }, () => this.#callUntilCertain(call, subject, own))
    target.endings.push(...(await Promise.all(all)).flat())
  }

  /**
   * Makes a call, and follows `error.retry` after a failure. Takes a new key only if every call with the old key was
   * rejected for its content.
   */
  async #callUntilCertain(
    call: PlannedCall,
    subject: Subject,
    options: IdempotentRequestOptions,
    mayTakeNewKey = true,
  ): Promise<Ending[]> {
    const ending = await this.#try(call, subject, options)
    const { key, retry } = ending
    if (call.retries === 0 || key === undefined) return [ending]
    const more = { ...call, retries: call.retries - 1 }
    if (retry === 'same-key') {
      return [ending, ...(await this.#callUntilCertain(more, subject, { idempotencyKey: key }, false))]
    }
    if (retry === 'new-key' && mayTakeNewKey && call.key === 'own') {
      return [ending, ...(await this.#callUntilCertain(more, subject, { idempotencyKey: `${key}-new` }))]
    }
    return [ending]
  }

  async #try(
    { operation, client, abortAfter }: PlannedCall,
    subject: Subject,
    options: IdempotentRequestOptions,
  ): Promise<Ending> {
    const controller = new AbortController()
    if (abortAfter === 0) controller.abort()
    const timer = abortAfter ? setTimeout(() => controller.abort(), abortAfter) : undefined
    const call = operationNamed(operation).send(this.#clients[client], subject, {
      ...options,
      signal: controller.signal,
    })
    try {
      const { data, response } = await call.withResponse()
      const outcome = response.recovered ? 'recovered' : 'success'
      const returned = operation.startsWith('payments.') ? String((data as { id?: string }).id) : undefined
      return { outcome, key: response.idempotencyKey, returned }
    } catch (error) {
      if (!(error instanceof PaymentsError) || error.outcome === undefined) throw error
      return { outcome: error.outcome, retry: error.retry, key: error.idempotencyKey }
    } finally {
      clearTimeout(timer)
    }
  }
}

function connectionRefused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
}
