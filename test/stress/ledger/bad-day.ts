import { type IdempotentRequestOptions, type Outcome, PaymentsClient, PaymentsError } from '../../../src/index.js'
import { createSandbox, type Effect, type Sandbox, type SandboxSnapshot } from '../../../src/sandbox/index.js'
import { operationNamed, prepare, type Scene, type Subject } from './operations.js'
import { clients, type PlannedCall, type Schedule } from './schedule.js'
import { inVirtualTime } from './virtual-time.js'

/** How a call ended, as far as its caller was told. */
export interface Ending {
  readonly outcome: Outcome | 'success' | 'recovered'
  /** The idempotency key that was sent, if one was. */
  readonly key?: string | undefined
  /** The id of the payment that was returned. */
  readonly returned?: string | undefined
}

/** How the calls that are about the same thing ended, and what the ledger says of it. */
export interface Case {
  readonly operation: string
  readonly endings: readonly Ending[]
  readonly effects: readonly Effect[]
}

export interface BadDay {
  readonly cases: readonly Case[]
  /** Effects that belong to no call. */
  readonly strays: readonly Effect[]
  readonly requests: number
}

/** A sandbox that is set up once, and then begins every day anew. */
export class Stage {
  readonly #sandbox: Sandbox
  readonly #scene: Scene
  readonly #morning: SandboxSnapshot

  private constructor(sandbox: Sandbox, scene: Scene) {
    this.#sandbox = sandbox
    this.#scene = scene
    this.#morning = sandbox.snapshot()
  }

  static async of(idempotency: Schedule['idempotency']): Promise<Stage> {
    const sandbox = createSandbox({ seed: 'ledger', now: new Date('2026-01-31T12:00:00Z'), idempotency })
    return new Stage(sandbox, await prepare(new PaymentsClient(sandbox.clientOptions()), sandbox))
  }

  async live(schedule: Schedule): Promise<BadDay> {
    const sandbox = this.#sandbox
    sandbox.faults.clear()
    sandbox.restore(this.#morning)
    const yesterday = sandbox.ledger.length
    const day = new Day(sandbox, this.#scene)
    const { random } = Math
    Math.random = () => schedule.jitter
    try {
      await inVirtualTime(() => day.live(schedule))
    } finally {
      Math.random = random
    }
    sandbox.faults.clear()
    return day.account(sandbox.ledger.slice(yesterday))
  }
}

/** Something that one call, or several, are about. */
interface Matter {
  readonly operation: PlannedCall['operation']
  readonly subject: Subject
  readonly endings: Ending[]
}

/** One day: its clients, and what became of their calls. */
class Day {
  readonly #scene: Scene
  readonly #sandbox: Sandbox
  readonly #clients: Record<keyof typeof clients, PaymentsClient>
  readonly #matters = new Map<string, Matter>()
  #requests = 0
  #calls = 0

  constructor(sandbox: Sandbox, scene: Scene) {
    this.#sandbox = sandbox
    this.#scene = scene
    const open = ([name, options]: [string, object]) => [
      name,
      new PaymentsClient(sandbox.clientOptions({ ...options, fetch: this.#way(name === 'unlucky') })),
    ]
    this.#clients = Object.fromEntries(Object.entries(clients).map(open))
  }

  /** The way to the sandbox, where every other connection may be refused. */
  #way(isUnlucky: boolean): Sandbox['fetch'] {
    let isRefused = false
    return async (request, init) => {
      isRefused = isUnlucky && !isRefused
      if (isRefused) throw new TypeError('fetch failed', { cause: connectionRefused() })
      this.#requests += 1
      return this.#sandbox.fetch(request, init)
    }
  }

  async live({ rounds }: Schedule): Promise<void> {
    for (const { faults, calls } of rounds) {
      for (const fault of faults) this.#sandbox.faults.add(fault)
      await Promise.all(calls.map((call) => this.#make(call)))
    }
  }

  /** Compare how the calls ended with what the ledger says. */
  async account(effects: readonly Effect[]): Promise<BadDay> {
    const client = new PaymentsClient(this.#sandbox.clientOptions())
    const strays = new Set(effects)
    const cases: Case[] = []
    for (const { operation, subject, endings } of this.#matters.values()) {
      const own: Effect[] = []
      for (const effect of effects) {
        if (effect.operation !== operation) continue
        if (await operationNamed(operation).isOf(effect, subject, client)) own.push(effect)
      }
      for (const effect of own) strays.delete(effect)
      cases.push({ operation, endings, effects: own })
    }
    return { cases, strays: [...strays], requests: this.#requests }
  }

  async #make(call: PlannedCall): Promise<void> {
    this.#calls += 1
    const { isKeyed, isShared } = operationNamed(call.operation)
    const number = isShared ? call.which + 1 : 1_000 + this.#calls
    const subject: Subject = { number, scene: this.#scene, which: call.which, isTooMuch: call.isTooMuch }
    const known = `${call.operation} ${number}`
    const matter = this.#matters.get(known) ?? { operation: call.operation, subject, endings: [] }
    this.#matters.set(known, matter)

    const own = isKeyed && call.key !== 'of the client' ? { idempotencyKey: `own-${this.#calls}` } : {}
    const copies = 'idempotencyKey' in own && call.key === 'own, twice' ? 2 : 1
    const all = Array.from({ length: copies }, () => this.#insist(call, subject, own))
    matter.endings.push(...(await Promise.all(all)).flat())
  }

  /** Call, and repeat with the same key while it is unknown whether anything was done. */
  async #insist(call: PlannedCall, subject: Subject, options: IdempotentRequestOptions): Promise<Ending[]> {
    const ending = await this.#try(call, subject, options)
    const isDoubtful = ending.outcome === 'unknown' || ending.outcome === 'accepted'
    if (!isDoubtful || call.insists === 0 || ending.key === undefined) return [ending]
    const more = { ...call, insists: call.insists - 1 }
    return [ending, ...(await this.#insist(more, subject, { idempotencyKey: ending.key }))]
  }

  async #try(
    { operation, client, abortAfter }: PlannedCall,
    subject: Subject,
    options: IdempotentRequestOptions,
  ): Promise<Ending> {
    const patience = new AbortController()
    if (abortAfter === 0) patience.abort()
    const timer = abortAfter ? setTimeout(() => patience.abort(), abortAfter) : undefined
    const call = operationNamed(operation).send(this.#clients[client], subject, { ...options, signal: patience.signal })
    try {
      const { data, response } = await call.withResponse()
      const outcome = response.recovered ? 'recovered' : 'success'
      const returned = operation.startsWith('payments.') ? String((data as { id?: string }).id) : undefined
      return { outcome, key: response.idempotencyKey, returned }
    } catch (error) {
      if (!(error instanceof PaymentsError) || error.outcome === undefined) throw error
      return { outcome: error.outcome, key: error.idempotencyKey }
    } finally {
      clearTimeout(timer)
    }
  }
}

function connectionRefused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })
}
