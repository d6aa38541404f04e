import type { Cutoff } from '../internal/deadline.js'

/** A bounded number of connection slots. Further attempts are queued in the order of their arrival. */
export class Slots {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Takes a slot if one is free. Return every taken slot with `release`. */
  takeFree(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** Waits for a slot. Rejects if the cutoff ends the wait. */
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

  /** Passes the slot to the first in the queue, or frees it. */
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

/** A bucket of tokens. In an outage it empties, so that retries stop multiplying the load; successes refill it. */
export class RetryBudget {
  #tokens = budgetCapacity

  /** Takes the cost of a retry, or returns `false` if too few tokens remain. */
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
