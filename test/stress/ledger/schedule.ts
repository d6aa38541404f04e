import fc from 'fast-check'
import type { ClientOptions } from '../../../src/index.js'
import type { Fault, SandboxOptions } from '../../../src/testing/index.js'
import { type OperationName, operationNames } from './operations.js'

/** A random sequence of faults and calls. */
export interface Schedule {
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  /** The constant result of `Math.random`, which determines every backoff. */
  readonly jitter: number
  readonly rounds: readonly Round[]
}

/** Faults, followed by calls that start at the same time. */
export interface Round {
  readonly faults: readonly Fault[]
  readonly calls: readonly PlannedCall[]
}

export interface PlannedCall {
  readonly operation: OperationName
  readonly which: 0 | 1
  readonly isTooMuch: boolean
  readonly client: keyof typeof clients
  /** `own`: the caller passes a key. `own, twice`: two concurrent calls have the same key. */
  readonly key: 'own' | 'own, twice' | 'of the client'
  /** The maximum number of further calls, with the same key or a new key as `error.retry` advises. */
  readonly retries: number
  /** Milliseconds until the caller aborts. With 0, the signal is already aborted. */
  readonly abortAfter: number | undefined
}

export const clients = {
  patient: { timeout: 200, totalTimeout: 5_000 },
  hasty: { timeout: 40, totalTimeout: 300, maxRetries: 4 },
  single: { timeout: 200, totalTimeout: 1_000, maxRetries: 0 },
  keyless: { timeout: 100, totalTimeout: 2_000, idempotency: 'off' },
  /** Uses a network that refuses every second connection. */
  unreliable: { timeout: 200, totalTimeout: 3_000, maxRetries: 1 },
  /** Uses a `fetch` that retries internally. Even if its retry is refused, the first request may have been sent. */
  retryingFetch: { timeout: 200, totalTimeout: 3_000, maxRetries: 1 },
  narrow: { timeout: 100, totalTimeout: 500, maxConnections: 1, idempotency: businessKey },
} satisfies Record<string, ClientOptions>

function businessKey(operation: string, params: object, body: unknown): string {
  return encodeURIComponent(JSON.stringify([operation, params, body]))
}

/** The delay of a response in milliseconds. Longer delays exceed the timeouts of some clients. */
const delay = fc.integer({ min: 1, max: 250 })
const headers = fc.constantFrom<Record<string, string>>({}, { 'retry-after': '1' }, { 'retry-after': '7' })
const status = (...statuses: number[]) => fc.constantFrom(...statuses)

/** Faults that prevent the operation, including rejections. */
const before: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ status: status(500, 502, 503, 504, 429, 408, 409, 404, 422, 302), headers }),
  fc.constantFrom<Fault>({ reset: true }, { hang: true }),
  fc.record({ delay }),
  fc.record({ delay, status: status(503, 429) }),
  // Responses of a proxy or a firewall, and responses that were cut off.
  fc.record({ status: status(400, 401, 403, 408, 409, 429), body: fc.constantFrom('', '{"error":', '<html>') }),
)

/** Faults that occur after the operation took effect. They include no rejections. */
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

/** Faults that break or suspend the connection during the response. */
const inside: fc.Arbitrary<Fault> = fc
  .tuple(fc.integer({ min: 0, max: 2_500 }), fc.constantFrom<Fault>({}, { reset: true }, { hang: true }))
  .map(([at, fault]) => ({ ...fault, at }))

export const fault: fc.Arbitrary<Fault> = fc
  .record({
    fault: fc.oneof(before, after, inside),
    times: fc.constantFrom(1, 1, 2, 3),
    operation: fc.option(fc.constantFrom(...operationNames, 'payments.get' as const), { nil: undefined }),
  })
  .map(({ fault, ...rest }) => ({ ...fault, ...rest }))

const moneyOperations = ['payments.create', 'payments.capture', 'payments.refund', 'payments.cancel'] as const

const call: fc.Arbitrary<PlannedCall> = fc.record({
  operation: fc.constantFrom(...operationNames, ...moneyOperations),
  which: fc.constantFrom(0, 1),
  isTooMuch: fc.integer({ min: 0, max: 5 }).map((roll) => roll === 5),
  client: fc.constantFrom(...(Object.keys(clients) as (keyof typeof clients)[])),
  key: fc.constantFrom('own', 'own, twice', 'of the client', 'of the client'),
  retries: fc.constantFrom(0, 0, 1, 3),
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
