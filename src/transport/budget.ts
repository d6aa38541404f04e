/** What a bucket holds when full. */
const capacity = 500
/** What a retry takes out. */
const costOfRetry = 5
/** What a success puts back. */
const gainOfSuccess = 1

/**
 * A bucket of tokens that all calls of a client share. In an outage it runs dry, and the client stops multiplying the
 * load by its retries; successes fill it again.
 */
export class RetryBudget {
  #tokens = capacity

  /** Whether a retry may be made; takes its cost if so. */
  spend(): boolean {
    if (this.#tokens < costOfRetry) return false
    this.#tokens -= costOfRetry
    return true
  }

  earn(): void {
    this.#tokens = Math.min(capacity, this.#tokens + gainOfSuccess)
  }
}
