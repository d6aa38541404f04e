import type { CallFacts } from '../core/errors.js'
import { type Deadline, Interrupted } from '../core/internal/deadline.js'
import type { Runtime } from '../core/internal/runtime.js'
import { interrupted } from '../core/transport/failure.js'
import { otherRequest, storing } from './errors.js'
import { type Begun, type JournalStore, maySendForMs, type NewOperation, renewAfterMs } from './journal.js'
import { isOpenState, type StoredOperation } from './record.js'

/** An operation on which this process holds the claim (a lock that expires), or that is already finished. */
export interface Claimed extends Begun {
  readonly row: StoredOperation
  /** The process's time before the statement that claimed the operation. */
  readonly requestedAt: number
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
  facts,
}: ClaimOptions): Promise<Claimed | undefined> {
  let pending: Promise<Begun | undefined> | undefined
  try {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      const requestedAt = runtime.now()
      const begun = await deadline.run(() => {
        pending = begin()
        return storing(pending, facts())
      })
      if (begun === undefined) return undefined
      const { row, isClaimed } = begun
      if (row && given && row.fingerprint !== given.fingerprint) {
        if (isClaimed) await store.release(given.resource, owner)
        throw otherRequest(['options', 'idempotencyKey'], facts())
      }
      if (row && (isClaimed || !isOpenState(row.state))) return { ...begun, row, requestedAt }
      await deadline.sleep(delayMs)
    }
  } catch (error) {
    // After a timeout or a lost connection, the database may still have stored the claim, so this function releases it.
    const release = (begun?: Begun) => store.release(begun?.row?.resource ?? given?.resource ?? '', owner)
    pending?.then(release, () => release()).catch(() => {})
    throw error instanceof Interrupted
      ? interrupted(error, 'queue', { method: 'POST', hasKey: true }).toError({ ...facts(), ...mayBeSent })
      : error
  }
}

/**
 * The fields of the error for a call that stops while it waits for the claim: another call with the same key may have
 * sent the request.
 */
const mayBeSent = { outcome: 'unknown', retry: 'same-key' } as const

/** Returns the operation's record without the claim's changes: a claim counts the next request in advance. */
export function beforeClaim({ row }: Claimed): StoredOperation {
  const attempts = row.attempts - 1
  return attempts === 0 ? { ...row, state: 'planned', firstSentAt: undefined, attempts } : { ...row, attempts }
}

/**
 * Renews a claim regularly while `work` runs, so that it does not expire.
 *
 * `work` receives a function that returns whether the latest renewal is too old to send a request. If a request is sent
 * later, the claim may expire so early that another process looks for the effect too soon.
 */
export async function keepClaim(
  store: JournalStore,
  { row: { resource }, requestedAt }: Claimed,
  owner: string,
  runtime: Runtime,
  work: (isClaimOld: () => boolean) => Promise<void>,
): Promise<void> {
  let timer: unknown
  let renewedAt = requestedAt
  const renew = async () => {
    const startedAt = runtime.now()
    const isOwner = await store.renew(resource, owner)
    renewedAt = isOwner ? startedAt : Number.NEGATIVE_INFINITY
  }
  const renewLater = () => {
    timer = runtime.setTimeout(() => {
      renewLater()
      // Ignores a failed renewal, because the next renewal may succeed.
      renew().catch(() => {})
    }, renewAfterMs)
  }
  renewLater()
  try {
    await work(() => runtime.now() - renewedAt >= maySendForMs)
  } finally {
    runtime.clearTimeout(timer)
  }
}
