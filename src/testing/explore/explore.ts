import { builtinModule } from '../../core/internal/builtin.js'
import type { Effect } from '../sandbox/store/store.js'
import { extend } from './extensions.js'
import { describePoint, type Point } from './network.js'
import { type ExploreOptions, type Settings, settingsFrom } from './options.js'
import { BrokenRule, type RuleName } from './rules.js'
import { Run, type RunResult } from './run.js'
import { type Disturbance, formatSchedule, parseSchedule, type Schedule } from './schedule.js'

export { InvalidOptionsError } from '../sandbox/internal/options.js'

/** A broken rule, with the smallest set of disturbances (faults, crashes, webhook problems) that breaks this rule. */
export interface ExploreFailure {
  readonly rule: RuleName
  readonly message: string
  readonly schedule: readonly Disturbance[]
  /** The events of the run, one per line. */
  readonly timeline: string
  /** The changes that the service made during the run. */
  readonly ledger: readonly Effect[]
  /** Pass this string as the option `replay` to run the same schedule again. */
  readonly replay: string
}

/** The result of `explore`. */
export interface ExploreReport {
  readonly runs: number
  /** The number of different requests that the shop sent. `explore` tries every disturbance at each request. */
  readonly points: number
  /** The number of pairs of disturbances that were not tried, because the budget was used up. */
  readonly pairsLeftOut: number
  readonly failures: readonly ExploreFailure[]
}

/**
 * Runs a shop's own code under faults, crashes and webhook disturbances. Reports and prints the shortest sequences of
 * events that make the shop charge a customer twice, lose an order or break one of its own rules.
 *
 * @throws {TypeError} An option is unknown, invalid or missing.
 * @example
 * const report = await explore({
 *   start: ({ clientOptions, storage }) => createShop({ client: new PaymentsClient(clientOptions), storage }),
 *   scenario: (shop) => shop.checkout({ orderId: 'order-17', amount: 5000 }),
 * })
 * expect(report.failures).toEqual([])
 */
// biome-ignore lint/suspicious/noExplicitAny: the shop decides what it stores.
export async function explore<Shop, Storage = any>(options: ExploreOptions<Shop, Storage>): Promise<ExploreReport> {
  const report = await exploreSilently(options)
  for (const { timeline } of report.failures) console.log(`\n${timeline}\n`)
  return report
}

/** Works like `explore`, but prints nothing. */
export async function exploreSilently<Shop, Storage>(options: ExploreOptions<Shop, Storage>): Promise<ExploreReport> {
  const explorer = new Explorer(settingsFrom(options))
  return collectRejections(() => explorer.explore())
}

/** The runs that are in progress, in all explorations of this process. */
const active = new Set<Run>()
let explorations = 0
let otherListeners: NodeJS.UnhandledRejectionListener[] = []

/** Records an unhandled rejection for all runs in progress, because it may belong to any of them. */
const record = (reason: unknown) => {
  for (const run of active) run.reject(reason)
}

/** Collects unhandled rejections during `work` and hides them from all other listeners, such as the test runner's. */
async function collectRejections<T>(work: () => Promise<T>): Promise<T> {
  const own = ownProcess()
  explorations += 1
  if (explorations === 1) {
    otherListeners = own?.listeners?.('unhandledRejection') ?? []
    own?.removeAllListeners?.('unhandledRejection').on('unhandledRejection', record)
  }
  try {
    return await work()
  } finally {
    explorations -= 1
    if (explorations === 0) {
      own?.off?.('unhandledRejection', record)
      for (const other of otherListeners) own?.on('unhandledRejection', other)
    }
  }
}

/** Returns Node's `process`. In Jest, `globalThis.process` is a copy that receives no rejections. */
function ownProcess(): NodeJS.Process | undefined {
  const vm = builtinModule<typeof import('node:vm')>('node:vm')
  try {
    return vm?.runInThisContext('process') ?? globalThis.process
  } catch {
    // `runInThisContext` throws in runtimes that cannot run code from a string.
    return globalThis.process
  }
}

class Explorer {
  readonly #settings: Settings
  readonly #modes: Schedule['mode'][]
  readonly #failures: ExploreFailure[] = []
  /** The schedules (sets of disturbances) that have run or are queued. */
  readonly #known = new Set<string>()
  readonly #points = new Set<string>()
  /** The steps that did not end in an earlier run. */
  readonly #endless = new Set<string>()
  #runs = 0
  #failedRuns = 0
  #pairsLeftOut = 0

  constructor(settings: Settings) {
    this.#settings = settings
    const { idempotency } = settings.sandbox
    this.#modes = idempotency ? [idempotency] : ['replay', 'conflict']
  }

  async explore(): Promise<ExploreReport> {
    const { replay } = this.#settings
    if (replay === undefined) await this.#exploreAll()
    else await this.#runAll([parseSchedule(replay) as Schedule])
    const { size: points } = this.#points
    return { runs: this.#runs, points, pairsLeftOut: this.#pairsLeftOut, failures: this.#failures }
  }

  async #exploreAll(): Promise<void> {
    const startedAt = Date.now()
    const references: RunResult[] = []
    for (const mode of this.#modes) {
      references.push(...(await this.#runAll([{ mode, afterCrash: 'settle', disturbances: [] }])))
      if (this.#failures.length > 0) return
    }
    const [reference] = references as [RunResult]
    const problem = await this.#problemOf(reference, startedAt)
    if (problem !== undefined) return this.#fail(new BrokenRule('check', problem), reference)

    let results = references.filter((result) => result === reference || reusesKey(result))
    for (let size = 1; size <= 2; size++) {
      const schedules = extend(results, this.#settings)
      if (size === 2) this.#pairsLeftOut = Math.max(0, schedules.length - this.#left)
      results = await this.#runAll(schedules)
      // Tries the other idempotency modes only for runs that send a key twice, because the mode does not affect other
      // runs.
      const others = results
        .filter(reusesKey)
        .flatMap(({ schedule }) => this.#modes.map((mode) => ({ ...schedule, mode })))
      results.push(...(await this.#runAll(others)))
    }
  }

  /** Returns the reason that the scenario cannot be explored. */
  async #problemOf(reference: RunResult, startedAt: number): Promise<string | undefined> {
    if (reference.requests.length === 0) {
      return 'The scenario sent no request: create its PaymentsClient with the `clientOptions` that start receives'
    }
    if (this.#left === 0) return undefined
    const { requests } = await this.#run(reference.schedule)
    const operations = (all: readonly Point[]) => all.map(({ operation }) => operation).join(', ')
    if (operations(requests) !== operations(reference.requests)) {
      return 'Two runs without faults sent different requests, so runs are not comparable: use `clock` instead of the real time, and no random decisions'
    }
    const [from, to] = [startedAt, Date.now()].map((ms) => String(ms).slice(0, 10)) as [string, string]
    const isRealTime = (digits: string) => digits.slice(0, 10) >= from && digits.slice(0, 10) <= to
    const timed = requests.find(
      ({ key = '' }, index) => key !== reference.requests[index]?.key && key.match(/\d{10,}/g)?.some(isRealTime),
    )
    if (timed === undefined) return undefined
    return `The idempotency key of ${timed.operation} contains the real time, so runs are not comparable: use the \`clock\` that start receives`
  }

  get #left(): number {
    return Math.max(0, this.#settings.budget - this.#runs)
  }

  /** Runs the schedules that have not run before, within the budget. */
  async #runAll(schedules: readonly Schedule[]): Promise<RunResult[]> {
    const fresh = schedules.filter((schedule) => !this.#known.has(formatSchedule(schedule))).slice(0, this.#left)
    for (const schedule of fresh) this.#known.add(formatSchedule(schedule))
    const results: RunResult[] = new Array(fresh.length)
    const queue = fresh.entries()
    const work = async () => {
      for (const [index, schedule] of queue) results[index] = await this.#run(schedule)
    }
    await Promise.all(Array.from({ length: this.#settings.concurrency }, work))
    for (const result of results) {
      const isUncertain = result.brokenRules.some(({ rule }) => rule === 'unhandled rejection') && this.#left > 0
      // Retries the run alone, because a concurrent run may have caused the rejection.
      const { brokenRules } = isUncertain ? await this.#run(result.schedule) : result
      for (const brokenRule of brokenRules) this.#fail(brokenRule, result)
    }
    return results
  }

  async #run(schedule: Schedule): Promise<RunResult> {
    const { budget, onProgress } = this.#settings
    const run = new Run(this.#settings, schedule, this.#endless)
    active.add(run)
    try {
      const result = await run.execute()
      // Counts each retry as a separate request.
      const counts = new Map<string, number>()
      for (const label of result.requests.map(describePoint)) {
        counts.set(label, (counts.get(label) ?? 0) + 1)
        this.#points.add(`${label} ${counts.get(label)}`)
      }
      this.#runs += 1
      if (result.brokenRules.length > 0) this.#failedRuns += 1
      onProgress?.({ runs: this.#runs, budget, failures: this.#failedRuns })
      return result
    } finally {
      active.delete(run)
    }
  }

  /**
   * Adds a failure, unless an earlier failure of the same rule has the same message or needs only a subset of the
   * disturbances.
   */
  #fail({ rule, message }: BrokenRule, { schedule, events, ledger }: RunResult): void {
    const isIn = (all: readonly Disturbance[]) => (one: Disturbance) =>
      all.some(({ kind, request }) => kind === one.kind && request === one.request)
    const isKnown = this.#failures.some(
      (known) =>
        known.rule === rule && (known.message === message || known.schedule.every(isIn(schedule.disturbances))),
    )
    if (isKnown) return
    const replay = formatSchedule(schedule)
    const width = Math.max(...events.map(({ text }) => text.length)) + 4
    const lines = events.map(({ text, isFault }, index) => {
      return `${String(index + 1).padStart(3)}  ${isFault ? `${text.padEnd(width)}← fault` : text}`
    })
    const timeline = [message, ...lines, `Replay: explore({ …, replay: '${replay}' })`].join('\n')
    this.#failures.push({ rule, message, schedule: schedule.disturbances, timeline, ledger, replay })
  }
}

function reusesKey({ requests }: RunResult): boolean {
  const keyed = requests.filter(({ key }) => key !== undefined).map(describePoint)
  return new Set(keyed).size < keyed.length
}
