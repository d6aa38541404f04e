import type { Runtime } from '../internal/runtime.js'
import { Slots } from '../internal/slots.js'
import type { ResultEvent } from '../options.js'

const budgetCapacity = 500
const retryCost = 5
const successGain = 1

/**
 * A token bucket that limits retries. Each retry removes tokens, and each successful call adds some tokens. During an
 * outage, the bucket becomes empty and retries stop, so that retries do not multiply the load on the service.
 */
export class RetryBudget {
  #tokens = budgetCapacity

  spend(): boolean {
    if (this.#tokens < retryCost) return false
    this.#tokens -= retryCost
    return true
  }

  earn(): void {
    this.#tokens = Math.min(budgetCapacity, this.#tokens + successGain)
  }

  /** The fraction of the tokens that remains, from 0 to 1. */
  get remaining(): number {
    return this.#tokens / budgetCapacity
  }
}

const periodMs = 60_000

interface Period {
  readonly startedAt: number
  calls: number
  unknown: number
}

/** Counts the calls of the current minute and of the minute before it. */
export class RecentCalls {
  readonly #runtime: Runtime
  #before: Period | undefined
  #current: Period

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#current = this.#startPeriod()
  }

  add(outcome: ResultEvent['outcome']): void {
    const { current } = this.#periods()
    current.calls++
    if (outcome === 'unknown') current.unknown++
  }

  read(): { calls: number; unknown: number; durationMs: number } {
    const { before = { calls: 0, unknown: 0, startedAt: this.#current.startedAt }, current } = this.#periods()
    return {
      calls: before.calls + current.calls,
      unknown: before.unknown + current.unknown,
      durationMs: this.#runtime.now() - before.startedAt,
    }
  }

  #periods(): { before: Period | undefined; current: Period } {
    const age = this.#runtime.now() - this.#current.startedAt
    if (age >= periodMs) {
      this.#before = age < 2 * periodMs ? this.#current : undefined
      this.#current = this.#startPeriod()
    }
    return { before: this.#before, current: this.#current }
  }

  #startPeriod(): Period {
    return { startedAt: this.#runtime.now(), calls: 0, unknown: 0 }
  }
}

/** The limits that all calls of a client and its copies share. */
export interface Limits {
  readonly slots: Slots
  readonly retryBudget: RetryBudget
  readonly recentCalls: RecentCalls
}

export function createLimits({ maxConnections, runtime }: { maxConnections: number; runtime: Runtime }): Limits {
  return {
    slots: new Slots(maxConnections),
    retryBudget: new RetryBudget(),
    recentCalls: new RecentCalls(runtime),
  }
}
