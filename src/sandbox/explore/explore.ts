import type { Effect } from '../store/store.js'
import { concerns, describePoint, type Point } from './network.js'
import { checkOptions, type ExploreOptions } from './options.js'
import type { RuleName } from './rules.js'
import { Run, type RunResult } from './run.js'
import {
  crashKinds,
  type Disturbance,
  faultKinds,
  formatSchedule,
  type IdempotencyMode,
  parseSchedule,
  type Schedule,
  webhookKinds,
} from './schedule.js'

/** A broken rule, with the fewest disturbances that break it. */
export interface ExploreFailure {
  readonly rule: RuleName
  readonly message: string
  readonly schedule: readonly Disturbance[]
  /** The events of the run, for people. */
  readonly timeline: string
  /** The effects of the run. */
  readonly ledger: readonly Effect[]
  /** Pass it as `replay` to run this schedule again. */
  readonly replay: string
}

/** The result of `explore`. */
export interface ExploreReport {
  readonly runs: number
  /** The number of requests and webhooks in the runs without faults. */
  readonly points: number
  /** The number of pairs of disturbances for which the budget was too small. */
  readonly pairsLeftOut: number
  readonly failures: readonly ExploreFailure[]
}

type AnyOptions = ExploreOptions<unknown, object>

/**
 * Runs a shop's own code under faults, crashes and webhook disturbances, and reports the shortest sequences of events in
 * which it charges a customer twice, loses an order or breaks a rule of its own.
 *
 * @throws {TypeError} An option is unknown, invalid or missing.
 * @example
 * const report = await explore({
 *   start: ({ clientOptions, storage }) => createShop({ client: new PaymentsClient(clientOptions), storage }),
 *   scenario: (shop) => shop.checkout({ orderId: 'order-17', amount: 5000 }),
 * })
 * expect(report.failures).toEqual([])
 */
export async function explore<Shop, Storage extends object = Record<string, never>>(
  options: ExploreOptions<Shop, Storage>,
): Promise<ExploreReport> {
  const checked = checkOptions(options) as unknown as AnyOptions
  const { budget = 500, replay } = checked
  const explorer = new Explorer(checked, budget)
  const report = await withUnhandledRejections(explorer, () =>
    replay === undefined ? explorer.explore() : explorer.replay(parseSchedule(replay) as Schedule),
  )
  for (const { timeline } of report.failures) console.log(`\n${timeline}\n`)
  return report
}

class Explorer {
  readonly #options: AnyOptions
  readonly #budget: number
  readonly #failures = new Map<string, ExploreFailure>()
  /** The runs that are in progress. */
  readonly #active = new Set<Run<unknown, object>>()
  #runs = 0
  #points = 0
  #pairsLeftOut = 0

  constructor(options: AnyOptions, budget: number) {
    this.#options = options
    this.#budget = budget
  }

  /** Records an unhandled rejection for the runs in progress. A run that did not cause it does not repeat it. */
  reject(reason: unknown): void {
    for (const run of this.#active) run.reject(reason)
  }

  async replay(schedule: Schedule): Promise<ExploreReport> {
    this.#record(await this.#run(schedule))
    return this.#report()
  }

  async explore(): Promise<ExploreReport> {
    const { sandbox = {} } = this.#options
    const modes: IdempotencyMode[] = sandbox.idempotency ? [sandbox.idempotency] : ['replay', 'conflict']
    const references: RunResult[] = []
    for (const mode of modes) {
      const reference = await this.#run({ mode, disturbances: [] })
      this.#points += reference.points.length + reference.webhooks.length
      this.#record(reference)
      references.push(reference)
    }
    const problem = this.#failures.size > 0 ? undefined : await this.#problemOf(references)
    if (problem !== undefined) this.#fail({ rule: 'check', message: problem }, references[0] as RunResult)
    if (this.#failures.size > 0) return this.#report()

    const singles = await this.#runAll(references.flatMap((reference) => this.#extensions(reference)))
    const pairs = singles.flatMap((single) => this.#extensions(single)).sort(bySuspicion)
    const left = Math.max(0, this.#budget - this.#runs)
    this.#pairsLeftOut = Math.max(0, pairs.length - left)
    const results = await this.#runAll(pairs.slice(0, left))
    const triples = results.flatMap((pair) => this.#extensions(pair)).filter(concernsOneKey)
    await this.#runAll(triples.slice(0, Math.max(0, this.#budget - this.#runs)))
    return this.#report()
  }

  /** Returns the reason that the scenario cannot be explored. */
  async #problemOf([reference]: readonly RunResult[]): Promise<string | undefined> {
    if (!reference) return undefined
    if (reference.points.length === 0) {
      return 'The scenario sent no request: create its PaymentsClient with the `clientOptions` that start receives'
    }
    const again = await this.#run(reference.schedule)
    const operations = ({ points }: RunResult) => points.map(({ operation }) => operation).join(', ')
    return operations(again) === operations(reference)
      ? undefined
      : 'Two runs without faults sent different requests, so runs are not comparable: use `clock` instead of the real time, and no random decisions'
  }

  /** Returns the schedules with one more disturbance, at a point after the last one. */
  #extensions({ schedule, points, webhooks, violations }: RunResult): Schedule[] {
    if (violations.length > 0) return []
    const { faults = faultKinds, crashes = crashKinds, webhooks: disturbed = webhookKinds, afterCrash } = this.#options
    const last = Math.max(0, ...schedule.disturbances.map(({ point }) => point))
    const later = points.filter(({ number }) => number > last)
    const crash = (point: Point): Disturbance[] =>
      crashes.flatMap((kind) => {
        const once: Disturbance = { ...at(point), kind }
        const repeated: Disturbance = { ...once, repeat: true }
        return afterCrash === undefined ? [once, repeated] : [afterCrash === 'repeat' ? repeated : once]
      })
    const found: Disturbance[] = [
      ...later.flatMap((point) =>
        faults.filter((kind) => concerns(kind, point)).map((kind) => ({ ...at(point), kind })),
      ),
      ...later.flatMap(crash),
      ...webhooks.flatMap((type, index) =>
        index + 1 > last || schedule.disturbances.length === 0
          ? disturbed.map((kind) => ({ point: index + 1, kind, request: type }))
          : [],
      ),
    ]
    return found.map((one) => ({ mode: schedule.mode, disturbances: [...schedule.disturbances, one] }))
  }

  async #runAll(schedules: readonly Schedule[]): Promise<RunResult[]> {
    const { concurrency = 8 } = this.#options
    const within = schedules.slice(0, Math.max(0, this.#budget - this.#runs))
    const results: RunResult[] = new Array(within.length)
    const queue = within.entries()
    const work = async () => {
      for (const [index, schedule] of queue) results[index] = await this.#run(schedule)
    }
    await Promise.all(Array.from({ length: concurrency }, work))
    for (const result of results) this.#record(result.violations.length > 0 ? await this.#confirm(result) : result)
    return results
  }

  /** Runs a failing schedule alone, because an unhandled rejection may belong to a concurrent run. */
  async #confirm(result: RunResult): Promise<RunResult> {
    const isCertain = result.violations.every(({ rule }) => rule !== 'unhandled rejection')
    return isCertain ? result : this.#run(result.schedule)
  }

  async #run(schedule: Schedule): Promise<RunResult> {
    this.#runs += 1
    const run = new Run(this.#options, schedule)
    this.#active.add(run)
    try {
      return await run.execute()
    } finally {
      this.#active.delete(run)
      const { onProgress } = this.#options
      onProgress?.({ runs: this.#runs, budget: this.#budget, failures: this.#failures.size })
    }
  }

  #record(result: RunResult): void {
    const { rules = {} } = this.#options
    for (const violation of result.violations) if (rules[violation.rule] !== false) this.#fail(violation, result)
  }

  /** Keeps the first failure for each rule and message: it has the fewest disturbances. */
  #fail({ rule, message }: { rule: RuleName; message: string }, { schedule, events, ledger }: RunResult): void {
    const id = `${rule}: ${message}`
    if (this.#failures.has(id)) return
    const replay = formatSchedule(schedule)
    const lines = events.map(({ text, isDisturbed }, index) => {
      const line = `${String(index + 1).padStart(3)}  ${text}`
      return isDisturbed ? `${line.padEnd(70)}  ← fault` : line
    })
    const timeline = [message, ...lines, `Replay: explore({ …, replay: '${replay}' })`].join('\n')
    this.#failures.set(id, { rule, message, schedule: schedule.disturbances, timeline, ledger, replay })
  }

  #report(): ExploreReport {
    return {
      runs: this.#runs,
      points: this.#points,
      pairsLeftOut: this.#pairsLeftOut,
      failures: [...this.#failures.values()],
    }
  }
}

const at = (point: Point) => ({ point: point.number, request: describePoint(point) })

/** Sorts pairs around the same request first, and then pairs around the same operation. */
function bySuspicion(a: Schedule, b: Schedule): number {
  return distance(a) - distance(b)
}

function distance({ disturbances: [first, second] }: Schedule): number {
  if (first === undefined || second === undefined || first.request === second.request) return 0
  return operationOf(first) === operationOf(second) ? 1 : 2
}

const operationOf = ({ request = '' }: Disturbance) => request.replace(/ .*/, '')

function concernsOneKey({ disturbances }: Schedule): boolean {
  return new Set(disturbances.map(({ request }) => request)).size === 1
}

/** Collects unhandled rejections while `work` runs, and hides them from the listeners of the test runner. */
async function withUnhandledRejections<T>(explorer: Explorer, work: () => Promise<T>): Promise<T> {
  const { process } = globalThis
  if (typeof process?.on !== 'function') return work()
  const others = process.listeners('unhandledRejection')
  const listener = (reason: unknown) => explorer.reject(reason)
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', listener)
  try {
    return await work()
  } finally {
    process.off('unhandledRejection', listener)
    for (const other of others) process.on('unhandledRejection', other)
  }
}
