import { ConfigurationError } from '../core/errors.js'
import { sha256 } from '../core/internal/bytes.js'
import { type ClaimResult, claimOf, timelineOf, type WebhookResource, type WebhookStore } from '../stores/contract.js'
import { type RawBody, readRawBody } from './body.js'
import { ClaimLostError } from './errors.js'
import { webCrypto } from './signature.js'

/**
 * Returns the key that identifies a delivery: the SHA-256 of the raw body, in hexadecimal digits. Deliveries have no ID
 * of their own.
 *
 * @param rawBody The body exactly as it was received.
 * @throws {WebhookVerificationError} The body is not raw.
 */
export async function deduplicationKey(rawBody: RawBody): Promise<string> {
  webCrypto()
  return sha256(readRawBody(rawBody))
}

export interface ClaimOptions {
  readonly key: string
  readonly resource: WebhookResource | undefined
  readonly ttlMs: number
  /**
   * Milliseconds to wait while another event for the same resource is handled. If undefined, events for a resource may
   * be handled in parallel.
   */
  readonly waitMs: number | undefined
  /** Receives errors that do not change the response. */
  readonly report: (error: unknown) => Promise<void>
}

/** Handles an event. The signal aborts if a claim is lost. */
export type ClaimedWork = (stale: boolean, lost: AbortSignal) => Promise<void>

/** Claims the delivery and its resource, then runs `work` if the delivery is new. */
export async function runClaimed(
  store: WebhookStore,
  { key, resource, ttlMs, waitMs, report }: ClaimOptions,
  work: ClaimedWork,
): Promise<ClaimResult> {
  const serialized = waitMs === undefined ? undefined : resource
  const claims = new Claims(store, key, ttlMs)
  try {
    const delivery = await claims.claim(key)
    if (delivery !== 'new') return delivery
    if (serialized && !(await claims.claimWithin(claimOf(serialized), waitMs ?? 0))) return 'busy'
    const newest = resource?.timeMs === undefined ? undefined : await store.newest?.(timelineOf(resource))
    // If a time is missing, the comparison with NaN is false.
    const isStale = Number(newest) > Number(resource?.timeMs)
    await work(isStale, claims.signal)
    await claims.finish(resource)
    return 'new'
  } catch (error) {
    if (claims.lost && error !== claims.lost) await report(error)
    throw claims.lost ?? error
  } finally {
    await claims.release(report)
  }
}

/** Rejects unknown results, because otherwise the handler would respond 200 to a delivery that it did not handle. */
function requireResult(result: ClaimResult): ClaimResult {
  if (result === 'new' || result === 'busy' || result === 'done') return result
  throw new ConfigurationError("The function claim of the store must return 'new', 'busy' or 'done'")
}

const firstDelayMs = 10
const longestDelayMs = 250

/** Holds the claims for one delivery, and renews them until they are released. */
class Claims {
  /** The error to throw if a claim was lost. */
  lost: ClaimLostError | undefined
  readonly #controller = new AbortController()
  /** Aborts when a claim is lost. */
  readonly signal = this.#controller.signal
  readonly #owner = crypto.randomUUID()
  readonly #held = new Set<string>()
  /** The time, from `performance.now()`, at which the store last granted or renewed all claims. */
  #confirmedAt = performance.now()
  #failedRenewals = 0
  /** Whether a call to the store failed but may have granted a claim. */
  #isUncertain = false
  #hasEnded = false
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly store: WebhookStore,
    private readonly key: string,
    private readonly ttlMs: number,
  ) {}

  async claim(name: string): Promise<ClaimResult> {
    try {
      const result = requireResult(await this.store.claim(name, this.ttlMs, this.#owner))
      if (result === 'new') this.#hold(name)
      return result
    } catch (error) {
      // The store may have granted the claim although its response was lost.
      this.#isUncertain = true
      this.#held.add(name)
      throw error
    }
  }

  #hold(name: string): void {
    this.#held.add(name)
    if (this.store.renew) this.#timer ??= setInterval(() => this.#renew(), this.ttlMs / 3)
  }

  /** Claims `name`. If another owner has the claim, retries for up to `waitMs`. */
  async claimWithin(name: string, waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      if ((await this.claim(name)) === 'new') return true
      this.#throwIfLost()
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return false
      await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, leftMs)))
    }
  }

  /** Records the resource's time and marks the delivery as completed. */
  async finish(resource: WebhookResource | undefined): Promise<void> {
    // Renews overdue claims first: while the process was paused, another owner may have claimed the resource, and
    // `complete` does not detect that.
    if (this.store.renew && performance.now() - this.#confirmedAt >= this.ttlMs) await this.#renewHeld()
    this.#throwIfLost()
    if (resource?.timeMs !== undefined) await this.store.advance?.(timelineOf(resource), resource.timeMs)
    this.#end()
    if ((await this.store.complete(this.key, this.#owner)) === false) this.#lose()
    this.#throwIfLost()
    this.#held.delete(this.key)
  }

  async release(report: (error: unknown) => Promise<void>): Promise<void> {
    this.#end()
    for (const name of this.#held) {
      try {
        await this.store.release(name, this.#owner)
      } catch (error) {
        if (!this.#isUncertain) await report(error)
        this.#releaseLater(name, firstDelayMs)
      }
    }
  }

  /** Retries the release until the claim has expired, because the connection to the store may be down for a moment. */
  #releaseLater(name: string, delayMs: number): void {
    if (performance.now() - this.#confirmedAt > this.ttlMs) return
    const retry = async () => {
      try {
        await this.store.release(name, this.#owner)
      } catch {
        this.#releaseLater(name, delayMs * 2)
      }
    }
    const timer: { unref?(): void } = Object(setTimeout(retry, delayMs))
    timer.unref?.()
  }

  #throwIfLost(): void {
    if (this.lost) throw this.lost
  }

  /** Stops renewing, because renewals fail once the delivery is completed or its claims are released. */
  #end(): void {
    this.#hasEnded = true
    clearInterval(this.#timer)
  }

  async #renew(): Promise<void> {
    // Claims are renewed three times per `ttlMs`, so they expire after three consecutive failures.
    this.#failedRenewals++
    if (this.#failedRenewals > 2) this.#lose()
    try {
      await this.#renewHeld()
    } catch {
      // Ignores errors from the store, because the next renewal tries again.
    }
  }

  async #renewHeld(): Promise<void> {
    const startedAt = performance.now()
    for (const name of this.#held) {
      const renewed = await this.store.renew?.(name, this.ttlMs, this.#owner)
      // If the delivery was completed while `renew` ran, the renewal fails although the claim was not lost.
      if (this.#hasEnded) return
      if (!renewed) this.#lose()
    }
    this.#confirmedAt = startedAt
    this.#failedRenewals = 0
  }

  #lose(): void {
    clearInterval(this.#timer)
    this.lost ??= new ClaimLostError(this.key)
    this.#controller.abort(this.lost)
  }
}
