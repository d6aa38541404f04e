import { runtimeOption, systemRuntime } from '../../../src/core/internal/runtime.js'
import {
  createMemoryJournal,
  type Journal,
  type JournalOptions,
  type OperationIntent,
  type OperationRecord,
  PaymentsClient,
  PaymentsError,
} from '../../../src/index.js'
import { createSandbox, type Sandbox } from '../../../src/testing/index.js'
import { type Fixture, plenty, prepare } from '../ledger/operations.js'
import { inVirtualTime } from '../ledger/virtual-time.js'
import type { Action, Round, Schedule } from './schedule.js'

/** The state of the journal and the ledger after a schedule. */
export interface Outcome {
  readonly records: readonly OperationRecord[]
  readonly sandbox: Sandbox
  readonly planned: readonly string[]
  readonly crashes: number
  /** The number of times that `onSettled` received each record, by key. */
  readonly settled: ReadonlyMap<string, number>
  /** For each idempotency key, the service's time when the process decided to use this key. */
  readonly decidedAt: ReadonlyMap<string, number>
  /** The keys of operations whose error allowed a new key, so they may never take effect. */
  readonly failed: ReadonlySet<string>
}

// The client loads ky in its first call, and the simulated clock does not wait for that.
await new PaymentsClient(createSandbox().clientOptions()).payments.list().toArray({ limit: 1 })

/** A journal whose times the simulation moves. */
export interface SimulatedEngine {
  /** Opens the journal, also for the second time. */
  open(options: JournalOptions): Promise<Journal>
  /** Moves all times of the journal into the past, or its clock into the future. */
  pass(ms: number): Promise<void>
  /** Writes an operation in a transaction. */
  plan(client: PaymentsClient, intent: OperationIntent): Promise<void>
}

/** Creates a journal in memory. Without a database, it has no transactions. */
export function memoryEngine(): SimulatedEngine {
  let passedMs = 0
  const start = Date.now()
  let journal: Journal | undefined
  return {
    open: async (options) => (journal ??= createMemoryJournal({ ...options, now: () => new Date(start + passedMs) })),
    async pass(ms) {
      passedMs += ms
    },
    plan: (client, intent) => client.operations.plan(intent),
  }
}

export function simulate(schedule: Schedule, engine = memoryEngine()): Promise<Outcome> {
  return inVirtualTime(schedule.jitter, async () => {
    const journal = await engine.open({ resendFor: schedule.resendFor })
    return new Run(schedule, engine, journal).execute()
  })
}

const pauses = { '0s': 0, '5s': 5_000, '61s': 61_000, '10m': 600_000, '25h': 90_000_000 }

class Run {
  readonly #schedule: Schedule
  readonly #sandbox: Sandbox
  readonly #engine: SimulatedEngine
  #journal: Journal
  readonly #processes: ShopProcess[] = []
  readonly #intents = new Map<string, OperationIntent>()
  readonly #planned: string[] = []
  readonly #settled = new Map<string, number>()
  readonly #decidedAt = new Map<string, number>()
  readonly #failed = new Set<string>()
  #crashes = 0
  readonly #fixtures: Fixture[] = []

  constructor(schedule: Schedule, engine: SimulatedEngine, journal: Journal) {
    this.#schedule = schedule
    this.#engine = engine
    this.#journal = journal
    const { idempotency, listDelay, clock } = schedule
    // If the journal's clock is slow, the journal cannot determine when the list of payments is complete.
    const delay = clock === 'slow' ? '0s' : listDelay
    const skew = { same: 0, slow: 0, ahead: 25_000, behind: -25_000 }[clock]
    const now = new Date(Date.now() - skew)
    this.#sandbox = createSandbox({ seed: 'journal', now, idempotency, listDelay: delay })
    for (let process = 0; process < 3; process++) this.#processes.push(this.#startProcess())
  }

  #startProcess(): ShopProcess {
    return new ShopProcess(this.#sandbox, this.#journal)
  }

  async execute(): Promise<Outcome> {
    // Half of the payments that the operations change are created outside the journal.
    for (const client of [this.#processes[0]?.client, new PaymentsClient(this.#sandbox.clientOptions())]) {
      this.#fixtures.push(await prepare(client as PaymentsClient, this.#sandbox))
    }
    for (const round of this.#schedule.rounds) await this.#play(round)
    this.#sandbox.faults.clear()
    // After this time, the claims of dead processes have expired, and the list of payments is complete.
    const client = new PaymentsClient(this.#sandbox.clientOptions({ journal: this.#journal }))
    // Two cancellations of one payment, of which both crashed, need five passes if the journal's clock is slow.
    for (let pass = 0; pass < 6; pass++) {
      await this.#pass(pass === 0 ? 61_000 : 123_000)
      await client.operations.recover({ onSettled: this.#hook(false) })
    }
    const records = await client.operations.list()
    const [sandbox, planned, settled, failed] = [this.#sandbox, this.#planned, this.#settled, this.#failed]
    return { records, sandbox, planned, settled, crashes: this.#crashes, decidedAt: this.#decidedAt, failed }
  }

  async #pass(ms: number): Promise<void> {
    this.#sandbox.clock.advance(ms)
    // Claims must expire, even if the journal's clock is slow.
    await this.#engine.pass(this.#schedule.clock === 'slow' ? Math.min(ms, 61_000) : ms)
    // If the stored times have moved, the difference of the clocks that the processes have measured is wrong.
    const journal = await this.#engine.open({ resendFor: this.#schedule.resendFor })
    if (journal === this.#journal) return
    this.#journal = journal
    for (const index of this.#processes.keys()) this.#processes[index] = this.#startProcess()
  }

  async #play({ faults, actions, pause, forgets }: Round): Promise<void> {
    for (const fault of faults) this.#sandbox.faults.add(fault)
    await Promise.all(actions.map((action) => this.#perform(action)))
    // Waits until the delayed requests of dead processes arrive.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await this.#pass(pauses[pause])
    if (pause === '25h' && forgets) {
      const snapshot = this.#sandbox.snapshot()
      this.#sandbox.restore({ ...snapshot, store: { ...snapshot.store, idempotency: [] } })
    }
  }

  async #perform(action: Action): Promise<void> {
    const process = this.#processes[action.process] as ShopProcess
    if (action.crash) process.crashAt = { ...action.crash, request: process.requests + action.crash.request }
    try {
      await process.race(this.#act(action, process.client))
    } catch (error) {
      // Calls may only fail with an error class of this package.
      if (!(error instanceof PaymentsError)) throw error
      const { retry, idempotencyKey = '' } = error
      if (retry === 'new-key') this.#failed.add(idempotencyKey)
    }
    if (process.isDead && this.#processes[action.process] === process) {
      this.#crashes += 1
      this.#processes[action.process] = this.#startProcess()
    }
  }

  async #act(action: Action, client: PaymentsClient): Promise<void> {
    const onSettled = this.#hook(action.hookThrows)
    const isAgain = action.kind === 'run again' || action.kind === 'call again'
    // Retries with a slow journal clock use `recover`, because only `recover` reads the service's clock before it sends
    // a request.
    if (action.kind === 'settle' || (isAgain && this.#schedule.clock === 'slow')) {
      await client.operations.recover({ onSettled })
      return
    }
    const intent = isAgain ? [...this.#intents.values()].at(-1 - action.which) : this.#newIntent(action)
    if (intent === undefined) return
    // The shop decides again if the journal rejected its first call.
    if (isAgain && !(await client.operations.get(intent.key))) this.#decide(intent.key)
    if (action.kind === 'call' || action.kind === 'call again') return call(client, intent)
    if (!isAgain) {
      await this.#engine.plan(client, intent)
      this.#planned.push(intent.key)
    }
    if (action.kind !== 'plan') await client.operations.run(intent.key, { onSettled })
  }

  #newIntent({ operation, which, amount }: Action): OperationIntent {
    const number = this.#intents.size + 1
    const key = `key-${number}`
    const { authorized, settled, cancellable, pending } = this.#fixtures[which] as Fixture
    const intents: Record<Action['operation'], OperationIntent> = {
      'payments.create': {
        key,
        operation: 'payments.create',
        body: {
          paymentMethodToken: amount > plenty ? 'unknown' : this.#sandbox.tokens.card,
          // Two operations have the same order, and sometimes the same amount.
          orderId: `order-${Math.ceil(number / 2)}`,
          currencyCode: 'EUR',
          amount,
        },
        ...(number % 2 === 0 && { allowSecondPayment: true }),
      },
      'payments.authorize': {
        key,
        operation: 'payments.authorize',
        id: pending,
        body: { processor: { processorMerchantId: 'm' } },
      },
      'payments.capture': { key, operation: 'payments.capture', id: authorized, body: { amount } },
      'payments.cancel': { key, operation: 'payments.cancel', id: cancellable },
      'payments.refund': { key, operation: 'payments.refund', id: settled, body: { amount } },
    }
    const intent = intents[operation]
    this.#intents.set(key, intent)
    this.#decide(key)
    return intent
  }

  #decide(key: string): void {
    this.#decidedAt.set(key, this.#sandbox.clock.now().getTime())
  }

  #hook(isThrowing: boolean) {
    return ({ key }: OperationRecord) => {
      if (isThrowing) throw new Error('onSettled failed')
      this.#settled.set(key, (this.#settled.get(key) ?? 0) + 1)
    }
  }
}

async function call(client: PaymentsClient, intent: OperationIntent): Promise<void> {
  const { payments } = client
  const options = { idempotencyKey: intent.key }
  if (intent.operation === 'payments.create') {
    const { allowSecondPayment = false } = intent
    await payments.create(intent.body, { ...options, allowSecondPayment })
  } else if (intent.operation === 'payments.authorize') await payments.authorize(intent.id, intent.body, options)
  else if (intent.operation === 'payments.capture') await payments.capture(intent.id, intent.body, options)
  else if (intent.operation === 'payments.cancel') await payments.cancel(intent.id, intent.body, options)
  else await payments.refund(intent.id, intent.body, options)
}

/** A process of the shop. After its death, it receives no responses, and its timers do not fire. */
export class ShopProcess {
  readonly client: PaymentsClient
  isDead = false
  requests = 0
  crashAt: { request: number; at: 'before' | 'after' } | undefined
  #die: () => void = () => {}
  readonly #death = new Promise<void>((resolve) => {
    this.#die = () => {
      this.isDead = true
      resolve()
    }
  })

  constructor(sandbox: Sandbox, journal?: Journal) {
    const forever = () => new Promise<never>(() => {})
    const fetch: Sandbox['fetch'] = async (input, init) => {
      this.requests += 1
      const isLast = this.requests === this.crashAt?.request
      if (isLast && this.crashAt?.at === 'before') this.#die()
      if (this.isDead) return forever()
      const response = sandbox.fetch(input, init)
      if (isLast) {
        await response.catch(() => {})
        this.#die()
      }
      const settled = await response.then(
        (value) => () => value,
        (error) => () => {
          throw error
        },
      )
      return this.isDead ? forever() : settled()
    }
    const runtime = {
      ...systemRuntime,
      setTimeout: (callback: () => void, ms: number) =>
        setTimeout(() => {
          if (!this.isDead) callback()
        }, ms),
    }
    const limits = { timeout: 200, totalTimeout: 3_000, maxRetries: 1 }
    const options = {
      ...sandbox.clientOptions({ ...limits, ...(journal && { journal }), fetch }),
      [runtimeOption]: runtime,
    }
    this.client = new PaymentsClient(options)
  }

  /** Waits until `work` ends or this process dies. */
  async race(work: Promise<void>): Promise<void> {
    await Promise.race([work, this.#death])
    work.catch(() => {})
  }
}

/** Returns the contradictions between a journal and the ledger. */
export function contradictionsIn(
  { records, sandbox, planned, settled, decidedAt, crashes, failed }: Outcome,
  { rounds, resendFor }: Schedule,
): string[] {
  const found: string[] = []
  const isLong = rounds.some(({ pause }) => pause === '25h')
  const isMisleading = rounds.some(({ faults }) => faults.some(({ status }) => status === 403 || status === 404))
  const effectsOf = ({ key }: OperationRecord) => sandbox.ledger.filter(({ idempotencyKey }) => idempotencyKey === key)
  const transactions = new Set<string | undefined>()

  for (const key of planned) if (!records.some((record) => record.key === key)) found.push(`${key} was lost`)
  for (const record of records) {
    const { key, operation, state, paymentId, transactionId, reason } = record
    const contradiction = (text: string) => found.push(`${key} (${operation}, ${state}): ${text}`)
    const effects = effectsOf(record)
    const isCreate = operation === 'payments.create'
    // If keys were forgotten, equal operations cannot be distinguished, and the effect of one may be recorded for an
    // older one. For authorizations and cancellations, only the total is checked, because each payment can be
    // authorized or cancelled only once.
    const isOnce = operation === 'payments.authorize' || operation === 'payments.cancel'
    const equal = isLong || isCreate || isOnce ? records.filter((other) => isEqual(other, record)) : [record]
    const total = equal.flatMap(effectsOf).length
    const count = (state: string) => equal.filter((other) => other.state === state).length

    if (effects.length > 1) contradiction('more than one effect')
    if (count('succeeded') > total) contradiction('no effect')
    if (count('succeeded') + count('needs_review') < total) contradiction('an effect')
    if (effects.length > 0 && failed.has(key) && equal.length === 1)
      contradiction('an effect after an error that allowed a new key')
    if (state === 'succeeded') {
      if (equal.length === 1 && effects[0]?.resourceId !== paymentId) contradiction('another payment')
      if (operation === 'payments.refund') {
        if (transactionId === undefined || transactions.has(transactionId)) contradiction('no transaction of its own')
        transactions.add(transactionId)
      }
    }
    if (state === 'planned' || state === 'sent' || state === 'unknown') contradiction('still open')
    // A 404 can hide the payment before a capture. If the capture's response is then lost, its effect cannot be
    // identified.
    const isHidden = isMisleading && reason === 'the captured amount before or after is unknown'
    if (state === 'needs_review' && (reason === undefined || !(isLong || isCreate || isHidden))) {
      contradiction(`a review before keyLifetime: ${reason}`)
    }
    // The memory journal has no transactions, so if a process dies in `onSettled`, its changes are not rolled back.
    const times = settled.get(key) ?? 0
    if (decidedAt.has(key) && (times === 0 || (times > 1 && crashes === 0))) contradiction(`settled ${times} times`)
    // The first request is sent within `resendFor` of the decision. Retries are sent within `resendFor` of the first
    // request.
    const limit = Number(decidedAt.get(key)) + 2 * Math.max(resendFor, 60_000)
    if (isCreate && effects.some(({ at }) => Date.parse(at) > limit)) contradiction('charged after resendFor')
  }
  return found
}

function isEqual(a: OperationRecord, b: OperationRecord): boolean {
  return JSON.stringify([a.operation, a.id, a.body]) === JSON.stringify([b.operation, b.id, b.body])
}
