import fc from 'fast-check'
import type { Fault, SandboxOptions } from '../../../src/testing/index.js'
import { fault } from '../ledger/schedule.js'

/** A random sequence of faults, crashes and calls of a shop that uses `orders`. */
export interface Schedule {
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  readonly listDelay: '0s' | '60s'
  readonly jitter: number
  /** Whether every webhook is lost. */
  readonly losesWebhooks: boolean
  readonly rounds: readonly Round[]
}

/** Faults, followed by actions that start at the same time, and then by a pause. */
export interface Round {
  readonly faults: readonly Fault[]
  readonly actions: readonly Action[]
  readonly pause: '0s' | '5s' | '21s' | '61s' | '10m'
}

export interface Action {
  readonly kind: 'pay' | 'capture' | 'refund' | 'cancel' | 'recover' | 'sync'
  readonly order: '17' | '18'
  readonly isDeclined: boolean
  /** The ID of a capture or refund. */
  readonly id: 'a' | 'b' | undefined
  readonly amount: 1000 | 2500 | undefined
  readonly process: 0 | 1 | 2
  /** Kills the process before or after this request. */
  readonly crash: { readonly request: 1 | 2; readonly at: 'before' | 'after' } | undefined
}

/** Requests that take effect after the client has stopped waiting. */
const late: fc.Arbitrary<Fault> = fc.record({
  operation: fc.constantFrom('payments.create', 'payments.capture', 'payments.refund', 'payments.cancel'),
  effectDelay: fc.constantFrom('2s', '20s', '60s', '85s'),
})

/** A service that denies an existing payment misleads every client, so these faults are left out. */
const isMisleading = ({ status }: Fault) => status === 403 || status === 404

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom('pay', 'pay', 'pay', 'capture', 'capture', 'refund', 'refund', 'cancel', 'recover', 'sync'),
  order: fc.constantFrom('17', '17', '18'),
  isDeclined: fc.integer({ min: 0, max: 4 }).map((roll) => roll === 4),
  id: fc.constantFrom('a', 'b', undefined),
  amount: fc.constantFrom(1000, 2500, undefined),
  process: fc.constantFrom(0, 1, 2),
  crash: fc.option(fc.record({ request: fc.constantFrom(1, 1, 2), at: fc.constantFrom('before', 'after') }), {
    freq: 3,
    nil: undefined,
  }),
})

export const schedule = (idempotency: Schedule['idempotency']): fc.Arbitrary<Schedule> =>
  fc.record({
    idempotency: fc.constant(idempotency),
    listDelay: fc.constantFrom('0s', '60s'),
    jitter: fc.constantFrom(0, 0.01, 0.5),
    losesWebhooks: fc.boolean(),
    rounds: fc.array(
      fc.record({
        faults: fc.array(
          fc.oneof(
            fault.filter((one) => !isMisleading(one)),
            late,
          ),
          { maxLength: 4, size: 'max' },
        ),
        actions: fc.array(action, { minLength: 1, maxLength: 5, size: 'max' }),
        pause: fc.constantFrom('0s', '0s', '5s', '21s', '61s', '10m'),
      }),
      { minLength: 1, maxLength: 6, size: 'max' },
    ),
  })
