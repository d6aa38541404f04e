import fc from 'fast-check'
import type { ClientOptions } from '../../../src/index.js'
import type { Fault, SandboxOptions } from '../../../src/sandbox/index.js'
import { type OperationName, operationNames } from './operations.js'

/** A bad day: what goes wrong, and what merchants do meanwhile. */
export interface Schedule {
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  /** How much of every back-off is waited, from 0 to 1. */
  readonly jitter: number
  readonly rounds: readonly Round[]
}

/** Faults that are lined up, and calls that leave at the same time. */
export interface Round {
  readonly faults: readonly Fault[]
  readonly calls: readonly PlannedCall[]
}

export interface PlannedCall {
  readonly operation: OperationName
  readonly which: 0 | 1
  readonly isTooMuch: boolean
  readonly client: keyof typeof clients
  /** Whether the caller brings a key, as far as the operation takes one; then the call may even be made twice at once. */
  readonly key: 'own' | 'own, twice' | 'of the client'
  /** How often the caller repeats with the same key what ended in doubt. */
  readonly insists: number
  /** When the caller loses patience, in milliseconds: at 0 before anything was sent. */
  readonly abortAfter: number | undefined
}

/** Ways to set up a client. */
export const clients = {
  patient: { timeout: 200, totalTimeout: 5_000 },
  hasty: { timeout: 40, totalTimeout: 300, maxRetries: 4 },
  single: { timeout: 200, totalTimeout: 1_000, maxRetries: 0 },
  keyless: { timeout: 100, totalTimeout: 2_000, idempotency: 'off' },
  /** Every other connection of it is refused. */
  unlucky: { timeout: 200, totalTimeout: 3_000, maxRetries: 1 },
  narrow: { timeout: 100, totalTimeout: 500, maxConnections: 1, idempotency: businessKey },
} satisfies Record<string, ClientOptions>

function businessKey(operation: string, params: object, body: unknown): string {
  return encodeURIComponent(JSON.stringify([operation, params, body]))
}

/** Longer than some clients are willing to wait, and shorter than others are. */
const delay = fc.integer({ min: 1, max: 250 })
const headers = fc.constantFrom<Record<string, string>>({}, { 'retry-after': '1' }, { 'retry-after': '7' })
const status = (...statuses: number[]) => fc.constantFrom(...statuses)

/** Before the service acts: it may well say that it refuses. */
const before: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ status: status(500, 502, 503, 504, 429, 408, 409, 404, 422, 302), headers }),
  fc.constantFrom<Fault>({ reset: true }, { hang: true }),
  fc.record({ delay }),
  fc.record({ delay, status: status(503, 429) }),
)

/** After it acted: whatever arrives, it does not say that nothing was done. */
const after: fc.Arbitrary<Fault> = fc
  .oneof(
    fc.record({ status: status(500, 502, 503, 504, 302), headers }),
    fc.constantFrom<Fault>({ reset: true }, { hang: true }),
    fc.record({ delay }),
    fc.record({
      body: fc.constantFrom<string | object>(
        '',
        '{',
        '<html>',
        'null',
        {},
        { id: 7 },
        { error: { errorId: 'NotFinished' } },
      ),
    }),
  )
  .map((fault) => ({ ...fault, at: 'after' }))

/** Inside the answer: the connection breaks or falls silent there. */
const inside: fc.Arbitrary<Fault> = fc
  .tuple(fc.integer({ min: 0, max: 2_500 }), fc.constantFrom<Fault>({}, { reset: true }, { hang: true }))
  .map(([at, fault]) => ({ ...fault, at }))

const fault: fc.Arbitrary<Fault> = fc
  .record({
    what: fc.oneof(before, after, inside),
    times: fc.constantFrom(1, 1, 2, 3),
    operation: fc.option(fc.constantFrom(...operationNames, 'payments.get' as const), { nil: undefined }),
  })
  .map(({ what, ...rest }) => ({ ...what, ...rest }))

const moneyMoves = ['payments.create', 'payments.capture', 'payments.refund', 'payments.cancel'] as const

const call: fc.Arbitrary<PlannedCall> = fc.record({
  operation: fc.constantFrom(...operationNames, ...moneyMoves),
  which: fc.constantFrom(0, 1),
  isTooMuch: fc.integer({ min: 0, max: 5 }).map((die) => die === 5),
  client: fc.constantFrom(...(Object.keys(clients) as (keyof typeof clients)[])),
  key: fc.constantFrom('own', 'own, twice', 'of the client', 'of the client'),
  insists: fc.constantFrom(0, 0, 1, 3),
  abortAfter: fc.option(fc.constantFrom(0, 1, 30, 90, 250, 700), { freq: 5, nil: undefined }),
})

export const schedule: fc.Arbitrary<Schedule> = fc.record({
  idempotency: fc.constantFrom('replay', 'conflict', 'conflict-400'),
  jitter: fc.constantFrom(0, 0.01, 0.1, 0.5, 0.99),
  rounds: fc.array(
    fc.record({
      faults: fc.array(fault, { maxLength: 4, size: 'max' }),
      calls: fc.array(call, { minLength: 1, maxLength: 5, size: 'max' }),
    }),
    { minLength: 1, maxLength: 4, size: 'max' },
  ),
})
