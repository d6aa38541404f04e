import type { Cutoff } from '../internal/deadline.js'

/** Limits the number of connections. Attempts without a free slot wait in order of arrival. */
export class Slots {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Takes a slot if one is free. The caller must return the slot with `release`. */
  takeFree(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  wait(cutoff: Cutoff): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => resolve()
      this.#queue.add(enter)
      cutoff.listen((cause) => {
        this.#queue.delete(enter)
        reject(cause)
      })
    })
  }

  /** Passes the slot to the first attempt in the queue, or frees it. */
  release(): void {
    const [next] = this.#queue
    if (next === undefined) {
      this.#free++
      return
    }
    this.#queue.delete(next)
    next()
  }
}

const budgetCapacity = 500
const retryCost = 5
const successGain = 1

/**
 * A token bucket that limits retries. Each retry takes tokens, and each successful call adds some. During an outage,
 * the bucket becomes empty and retries stop, so they do not multiply the load on the service.
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
}

/** The limits that all calls of a client and its copies share. */
export interface Limits {
  readonly slots: Slots
  readonly retryBudget: RetryBudget
}
