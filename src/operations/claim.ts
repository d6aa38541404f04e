import { type CallFacts, ConfigurationError } from '../core/errors.js'
import { type Deadline, Interrupted } from '../core/internal/deadline.js'
import { type Runtime, Stopwatch } from '../core/internal/runtime.js'
import { interrupted } from '../core/transport/failure.js'
import { openPayment, otherRequest, storing } from './errors.js'
import type { JournalStore, Place } from './journal.js'
import { isOpenState, type StoredOperation } from './record.js'
import * as rules from './rules.js'

/** An operation that this process has claimed (locked until the claim expires), or that is already finished. */
export interface Claimed extends rules.Begun {
  readonly row: StoredOperation
  readonly owner: string
  /** The time since the claiming statement was sent. */
  readonly claimedFor: Stopwatch
}

const firstDelayMs = 10
const longestDelayMs = 250

interface ClaimOptions {
  readonly store: JournalStore
  readonly key: string
  /** The requested operation. Absent if the caller passed only a key. */
  readonly given?: rules.NewOperation
  readonly baseUrl: string
  readonly deadline: Deadline
  readonly runtime: Runtime
  /** Whether to wait for the claim even if the operation is already finished. */
  readonly always?: boolean
  readonly facts: () => CallFacts
}

/**
 * Claims an operation. Waits while another owner has a claim on the same operation or payment. If the operation is
 * already in a final state, returns it without a claim. Resolves to undefined if the journal does not contain the key.
 */
export async function claim({
  store,
  key,
  given,
  baseUrl,
  deadline,
  runtime,
  always = false,
  facts,
}: ClaimOptions): Promise<Claimed | undefined> {
  const options = { owner: runtime.uuid(), given, baseUrl }
  const begin = async () => {
    const place = given ?? (await store.find(key))
    return place && tryClaim(store, place, options)
  }
  let pending: Promise<rules.Begun | undefined> | undefined
  let waiting: rules.Begun | undefined
  try {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const claimedFor = new Stopwatch(runtime)
      const begun = await deadline.run(() => {
        pending = begin()
        return storing(pending, facts())
      })
      pending = undefined
      const { row, isClaimed, problem } = begun ?? {}
      if (begun === undefined || (row === undefined && given === undefined)) return undefined
      if (problem?.kind === 'foreign') throw otherService(1, key, facts())
      if (problem?.kind === 'open-payment') throw openPayment(problem.open, facts())
      if (row && given && row.fingerprint !== given.fingerprint) {
        throw otherRequest(['options', 'idempotencyKey'], facts())
      }
      if (row && (isClaimed || (!always && !isOpenState(row.state)))) {
        return { ...begun, row, owner: options.owner, claimedFor }
      }
      waiting = begun
      await deadline.sleep(delayMs)
    }
  } catch (error) {
    // After a timeout or a lost connection, the database may still have stored the claim, so release it.
    const free = (begun?: rules.Begun) => release(store, begun?.row?.resource ?? given?.resource ?? '', options.owner)
    pending?.then(free, () => free()).catch(() => {})
    throw error instanceof Interrupted
      ? interrupted(error, 'queue', { method: 'POST', hasKey: true }).toError({
          ...facts(),
          ...(pending === undefined && waiting?.row === undefined ? notSent : mayBeSent),
          advice: waiting?.waitsFor && `The call waited for the operation with the key ${waiting.waitsFor}`,
        })
      : error
  }
}

/** Tries once to claim an operation. `isClaimed` is false if another owner has the claim. */
export async function tryClaim(store: JournalStore, place: Place, options: rules.ClaimOptions): Promise<rules.Begun> {
  const { key, orderId, resource } = place
  const begun = await store.update({ key, orderId, resource }, (held) => {
    const { row, now } = held
    // An earlier version may have recorded another resource for this operation. If so, the call below locks it.
    const isElsewhere = row !== undefined && row.resource !== resource
    return isElsewhere ? { result: { row, isClaimed: false, now } } : rules.claim(held, options)
  })
  const stored = begun.row?.resource ?? resource
  return stored === resource ? begun : tryClaim(store, { key, orderId, resource: stored }, options)
}

/** Releases a claim, so that another owner can claim the resource. */
export function release(store: JournalStore, resource: string, owner: string): Promise<void> {
  return store.update({ resource }, (held) => rules.release(held, owner))
}

/**
 * Error fields for a call that stops while waiting for the claim. If the journal has a record of the key, another call
 * may have sent the request.
 */
const mayBeSent = { outcome: 'unknown', retry: 'same-key' } as const
const notSent = { outcome: 'not_sent', retry: 'same-key' } as const

/** Creates the error for operations that were recorded with a different base URL than the client's. */
export function otherService(count: number, key: string, facts: Partial<CallFacts>): ConfigurationError {
  const subject =
    count === 1
      ? `1 operation (with the key ${key}) belongs`
      : `${count} operations (the first has the key ${key}) belong`
  return new ConfigurationError(
    `${subject} to another service: use a client with the base URL with which the journal recorded it`,
    { ...facts, outcome: 'not_sent', retry: 'no' },
  )
}

/** Returns the record as it was before the claim. Claiming already counted the next request as an attempt. */
export function beforeClaim({ row }: Claimed): StoredOperation {
  const attempts = row.attempts - 1
  return attempts === 0 ? { ...row, state: 'planned', firstSentAt: undefined, attempts } : { ...row, attempts }
}

/** Controls the regular renewal of a claim. */
export interface Renewals {
  /**
   * Renews the claim now if its latest renewal is overdue, for example because the process was suspended. Resolves to
   * false if the claim could not be renewed.
   */
  ensure(): Promise<boolean>
  /** Stops the renewals. Waits for a renewal in progress, because it would block the next transaction. */
  stop(): Promise<void>
}

/** Renews a claim regularly, so that it does not expire. */
export function renewRegularly(store: JournalStore, { row, owner, claimedFor }: Claimed, runtime: Runtime): Renewals {
  let timer: unknown
  let renewal: Promise<boolean> | undefined
  /** The time since the start of the latest successful renewal. */
  let renewedFor = claimedFor

  /** Renews the claim once. Never rejects, because the next renewal may succeed. */
  async function renew(): Promise<boolean> {
    const startedFor = new Stopwatch(runtime)
    const renewing = store.update({ resource: row.resource }, (held) => rules.renew(held, owner))
    const isOwner = await renewing.catch(() => false)
    if (isOwner) renewedFor = startedFor
    return isOwner
  }

  function renewLater(): void {
    timer = runtime.setTimeout(() => {
      renewLater()
      renewal = renew()
    }, rules.renewAfterMs)
  }

  renewLater()
  return {
    async ensure() {
      if (renewedFor.elapsed <= rules.renewAfterMs) return true
      renewal = renew()
      return renewal
    },
    async stop() {
      runtime.clearTimeout(timer)
      await renewal
    },
  }
}
