import { ClaimLostError, ConfigurationError } from '../errors.js'
import { sha256 } from '../internal/bytes.js'
import {
  type Begin,
  type ClaimResult,
  type Finish,
  inOneStep,
  type WebhookResource,
  type WebhookStore,
} from '../stores/webhook-store.js'
import { type RawBody, readRawBody } from './body.js'
import { webCrypto } from './signature.js'

/**
 * Returns the key that identifies a delivery, because deliveries have no id: the SHA-256 of the raw body, in
 * hexadecimal digits.
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

/** Handles an event. `signal` aborts if the claim on the delivery is lost. */
export type ClaimedWork = (stale: boolean, signal: AbortSignal) => Promise<void>

/** Claims the delivery and its resource, then runs `work` if the delivery is new. */
export async function runClaimed(
  store: WebhookStore,
  { key, resource, ttlMs, waitMs, report }: ClaimOptions,
  work: ClaimedWork,
): Promise<ClaimResult> {
  const claims = new Claims(store, key, ttlMs)
  const begun = await claims.begin(waitMs === undefined ? undefined : resource)
  if (begun.delivery !== 'new') return begun.delivery
  try {
    let { newest } = begun
    if (begun.resource !== 'new') {
      if (resource && waitMs !== undefined && !(await claims.claimWithin(nameOf(resource), waitMs))) return 'busy'
      newest = resource?.timeMs !== undefined && store.advance ? await store.newest?.(resource.id) : undefined
    }
    // A missing time becomes NaN, for which the comparison is false.
    const isStale = Number(newest) > Number(resource?.timeMs)
    await work(isStale, claims.signal)
    claims.throwIfLost()
    await claims.complete(resource, begun.resource !== undefined)
    return 'new'
  } catch (error) {
    if (claims.signal.aborted && error !== claims.signal.reason) await report(error)
    claims.throwIfLost()
    throw error
  } finally {
    await claims.release(report)
  }
}

const nameOf = (resource: WebhookResource) => `resource:${resource.id}`

/** Rejects other results, because the handler would respond 200 to a delivery that it did not handle. */
function requireResult(result: ClaimResult): ClaimResult {
  if (result === 'new' || result === 'busy' || result === 'done') return result
  throw new ConfigurationError("The function claim of the store must return 'new', 'busy' or 'done'")
}

const firstDelayMs = 10
const longestDelayMs = 250

/** Holds the claims for one delivery, and renews them until they are released. */
class Claims {
  readonly #store: WebhookStore
  readonly #key: string
  readonly #ttlMs: number
  readonly #owner = crypto.randomUUID()
  readonly #held = new Set<string>()
  readonly #controller = new AbortController()
  /** The `performance.now()` at which the store last granted or renewed all claims. */
  #confirmedAt = performance.now()
  #failedRenewals = 0
  #ended = false
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(store: WebhookStore, key: string, ttlMs: number) {
    this.#store = store
    this.#key = key
    this.#ttlMs = ttlMs
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  throwIfLost(): void {
    this.signal.throwIfAborted()
  }

  /** Claims the delivery, and also the resource if the store can claim both in one step. */
  async begin(resource: WebhookResource | undefined): Promise<NonNullable<Awaited<ReturnType<Begin>>>> {
    const begin = (this.#store.claim as { [inOneStep]?: Begin })[inOneStep]
    const begun = resource && (await begin?.(this.#key, resource.id, this.#ttlMs, this.#owner))
    if (!begun) return { delivery: await this.claim(this.#key) }
    if (requireResult(begun.delivery) === 'new') this.#hold(this.#key)
    if (begun.resource === 'new') this.#hold(nameOf(resource))
    return begun
  }

  async claim(name: string): Promise<ClaimResult> {
    const result = requireResult(await this.#store.claim(name, this.#ttlMs, this.#owner))
    if (result === 'new') this.#hold(name)
    return result
  }

  #hold(name: string): void {
    this.#held.add(name)
    if (this.#store.renew) this.#timer ??= setInterval(() => this.#renew(), this.#ttlMs / 3)
  }

  /** Claims `name`. If another owner has the claim, retries for up to `waitMs`. */
  async claimWithin(name: string, waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      if ((await this.claim(name)) === 'new') return true
      this.throwIfLost()
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return false
      await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, leftMs)))
    }
  }

  /**
   * Records the resource's time, and marks the delivery as completed. If `inOne` is true, uses the store's function
   * that does both in one step, if it has one.
   */
  async complete(resource: WebhookResource | undefined, inOne: boolean): Promise<void> {
    // Renews overdue claims. While the process was paused, another owner may have claimed the resource, which
    // `complete` does not check.
    if (this.#store.renew && performance.now() - this.#confirmedAt >= this.#ttlMs) await this.#renewHeld()
    this.throwIfLost()
    const finish = (this.#store.complete as { [inOneStep]?: Finish })[inOneStep]
    const finishes = inOne && resource !== undefined && finish !== undefined
    if (!finishes && resource?.timeMs !== undefined) await this.#store.advance?.(resource.id, resource.timeMs)
    this.#ended = true
    // Stops the renewals, because `complete` also reports a lost claim.
    clearInterval(this.#timer)
    const completed = finishes
      ? await finish(this.#key, resource, this.#owner)
      : await this.#store.complete(this.#key, this.#owner)
    if (completed === false) this.#lose()
    this.throwIfLost()
    this.#held.delete(this.#key)
    if (finishes) this.#held.clear()
  }

  async release(report: (error: unknown) => Promise<void>): Promise<void> {
    this.#ended = true
    clearInterval(this.#timer)
    for (const name of this.#held) {
      try {
        await this.#store.release(name, this.#owner)
      } catch (error) {
        await report(error)
      }
    }
  }

  async #renew(): Promise<void> {
    // Claims are renewed three times per `ttlMs`, so they expire after three failures in a row.
    this.#failedRenewals++
    if (this.#failedRenewals > 2) this.#lose()
    try {
      await this.#renewHeld()
    } catch {
      // The next renewal tries again.
    }
  }

  async #renewHeld(): Promise<void> {
    const startedAt = performance.now()
    for (const name of this.#held) {
      const renewed = await this.#store.renew?.(name, this.#ttlMs, this.#owner)
      // A renewal fails after the delivery was completed, but the claim is not lost.
      if (this.#ended) return
      if (!renewed) this.#lose()
    }
    this.#confirmedAt = startedAt
    this.#failedRenewals = 0
  }

  #lose(): void {
    clearInterval(this.#timer)
    this.#controller.abort(new ClaimLostError(this.#key))
  }
}
