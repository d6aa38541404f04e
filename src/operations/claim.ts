import { type CallFacts, ConfigurationError } from '../core/errors.js'
import { type Deadline, Interrupted } from '../core/internal/deadline.js'
import { type Runtime, Stopwatch } from '../core/internal/runtime.js'
import { interrupted } from '../core/transport/failure.js'
import { openPayment, otherRequest, storing } from './errors.js'
import type { JournalStore } from './journal.js'
import { isOpenState, type StoredOperation } from './record.js'
import { type Begun, type NewOperation, renewAfterMs } from './rules.js'

/** An operation on which this process holds the claim (a lock that expires), or that is already finished. */
export interface Claimed extends Begun {
  readonly row: StoredOperation
  /** The time since the statement that claimed the operation was sent. */
  readonly claimedFor: Stopwatch
}

const firstDelayMs = 10
const longestDelayMs = 250

interface ClaimOptions {
  readonly store: JournalStore
  readonly owner: string
  readonly begin: () => Promise<Begun | undefined>
  readonly deadline: Deadline
  readonly runtime: Runtime
  /** The operation that the caller requests. Absent if the caller passed only the operation's key. */
  readonly row?: NewOperation
  /** Whether to wait for the claim even if the operation is already finished. */
  readonly always?: boolean
  readonly facts: () => CallFacts
}

/**
 * Claims an operation for `owner`. Waits while another owner has a claim on the same operation or payment. If the
 * operation is already in a final state, returns it without a claim.
 */
export async function claim({
  store,
  owner,
  begin,
  deadline,
  runtime,
  row: given,
  always = false,
  facts,
}: ClaimOptions): Promise<Claimed | undefined> {
  let pending: Promise<Begun | undefined> | undefined
  let waiting: Begun | undefined
  try {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const claimedFor = new Stopwatch(runtime)
      const begun = await deadline.run(() => {
        pending = begin()
        return storing(pending, facts())
      })
      pending = undefined
      if (begun === undefined) return undefined
      const { row, isClaimed, problem } = begun
      if (problem?.kind === 'foreign') throw otherService(1, String(row?.key), facts())
      if (problem?.kind === 'open-payment') throw openPayment(problem.open, facts())
      if (row && given && row.fingerprint !== given.fingerprint) {
        throw otherRequest(['options', 'idempotencyKey'], facts())
      }
      if (row && (isClaimed || (!always && !isOpenState(row.state)))) return { ...begun, row, claimedFor }
      waiting = begun
      await deadline.sleep(delayMs)
    }
  } catch (error) {
    // After a timeout or a lost connection, the database may still have stored the claim, so this function releases it.
    const release = (begun?: Begun) => store.release(begun?.row?.resource ?? given?.resource ?? '', owner)
    pending?.then(release, () => release()).catch(() => {})
    throw error instanceof Interrupted
      ? interrupted(error, 'queue', { method: 'POST', hasKey: true }).toError({
          ...facts(),
          ...(pending === undefined && waiting?.row === undefined ? notSent : mayBeSent),
          advice: waiting?.waitsFor && `The call waited for the operation with the key ${waiting.waitsFor}`,
        })
      : error
  }
}

/**
 * The fields of the error for a call that stops while it waits for the claim: another call with the same key may have
 * sent the request, unless the journal has no record of this key.
 */
const mayBeSent = { outcome: 'unknown', retry: 'same-key' } as const
const notSent = { outcome: 'not_sent', retry: 'same-key' } as const

/** Creates the error for operations that belong to another base URL than the client's. */
export function otherService(count: number, key: string, facts: Partial<CallFacts>): ConfigurationError {
  const subject =
    count === 1
      ? `The operation with the key ${key} belongs`
      : `${count} open operations (the first has the key ${key}) belong`
  return new ConfigurationError(
    `${subject} to another service: use a client with the base URL with which the journal recorded it`,
    { ...facts, outcome: 'not_sent', retry: 'no' },
  )
}

/** Returns the operation's record without the claim's changes: a claim counts the next request in advance. */
export function beforeClaim({ row }: Claimed): StoredOperation {
  const attempts = row.attempts - 1
  return attempts === 0 ? { ...row, state: 'planned', firstSentAt: undefined, attempts } : { ...row, attempts }
}

/** Renews a claim regularly, so that it does not expire. */
export class ClaimKeeper {
  readonly #store: JournalStore
  readonly #owner: string
  readonly #resource: string
  readonly #runtime: Runtime
  #timer: unknown
  #renewal: Promise<boolean> = Promise.resolve(true)
  /** The time since the latest successful renewal was started. */
  #renewedFor: Stopwatch

  constructor(store: JournalStore, { row, claimedFor }: Claimed, owner: string, runtime: Runtime) {
    this.#store = store
    this.#owner = owner
    this.#resource = row.resource
    this.#runtime = runtime
    this.#renewedFor = claimedFor
    this.#renewLater()
  }

  /**
   * Renews the claim now if the latest renewal is old, for example because the process was suspended. Resolves to false
   * if the claim could not be renewed.
   */
  async ensure(): Promise<boolean> {
    return this.#renewedFor.elapsed <= renewAfterMs || this.#renew()
  }

  /** Stops the renewals, and waits for one that is running, because it would wait for the transaction that follows. */
  async stop(): Promise<void> {
    this.#runtime.clearTimeout(this.#timer)
    await this.#renewal
  }

  #renewLater(): void {
    this.#timer = this.#runtime.setTimeout(() => {
      this.#renewLater()
      this.#renew()
    }, renewAfterMs)
  }

  /** Never rejects: the next renewal may succeed. */
  #renew(): Promise<boolean> {
    const startedFor = new Stopwatch(this.#runtime)
    this.#renewal = this.#store.renew(this.#resource, this.#owner).then(
      (isOwner) => {
        if (isOwner) this.#renewedFor = startedFor
        return isOwner
      },
      () => false,
    )
    return this.#renewal
  }
}
