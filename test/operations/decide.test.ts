import { describe, expect, it } from 'vitest'
import {
  decide,
  type Facts,
  type LookupResult,
  mayBeResent,
  type OpenOperation,
  type Reply,
  resendableFor,
  type Step,
} from '../../src/operations/decide.js'

const now = 1_000_000_000
const minute = 60_000
const day = 24 * 60 * minute

/** A planned capture, cancellation or refund for which no request was sent. */
const change: OpenOperation = {
  operation: 'payments.capture',
  state: 'planned',
  createdAt: now - 1,
  attempts: 0,
  resendFor: minute,
  details: {},
}
/** A planned payment whose order id is only in the client session. */
const create: OpenOperation = { ...change, operation: 'payments.create' }
/** A planned payment that may no longer be sent, because `resendFor` has passed. */
const expired: OpenOperation = { ...create, orderId: 'order-1', createdAt: now - minute }

/** Returns an operation that was first sent `age` milliseconds ago, and whose request may have taken effect. */
const unknown = (operation: OpenOperation, age: number, more: Partial<OpenOperation> = {}): OpenOperation => ({
  ...operation,
  state: 'unknown',
  createdAt: now - age - 5,
  firstSentAt: now - age,
  attempts: 1,
  ...more,
})
/** Returns an operation that was first sent `age` milliseconds ago, and received only 429 responses. */
const limited = (operation: OpenOperation, age: number, more: Partial<OpenOperation> = {}) =>
  unknown(operation, age, { state: 'sent', ...more })

/** Returns the operation as a journal without bodies stores it. */
const bodiless = (operation: OpenOperation): OpenOperation => ({ ...operation, details: { isBodyOmitted: true } })
/** A change whose request may have taken effect, before and after the service forgets its idempotency key. */
const recent = unknown(change, 1)
const old = unknown(change, day)
/** A planned payment that is retried for longer than the service remembers its key. */
const renewal: OpenOperation = {
  ...create,
  orderId: 'order-1',
  resendFor: 3 * day,
  details: { isMerchantInitiated: true },
}
/** A payment whose request may have taken effect, and which may no longer be sent. */
const oldCreate = unknown(create, minute)
const neverResent: OpenOperation = { ...create, resendFor: 0 }

const effect = { paymentId: 'pay_1', status: 'SETTLED' }
const visible: LookupResult = { kind: 'effect', effect }
const impossible: LookupResult = { kind: 'impossible' }
const none: LookupResult = { kind: 'none' }
const unclear: LookupResult = { kind: 'unclear', reason: 'two match' }
const notYet: LookupResult = { kind: 'not-yet' }
const otherFirst: LookupResult = { kind: 'other-first' }
const newerFirst: LookupResult = { kind: 'newer-first' }
const unreadable: LookupResult = { kind: 'unreadable' }

type Some = Partial<Facts>
const byRecover: Some = { by: 'recover' }
/** Facts after a lookup by `recover`. The response contained the service's time. */
const saw = (seen: LookupResult, serviceNow = now): Some => ({ by: 'recover', seen, serviceNow })
/** Facts after a lookup by `recover` whose response contained no time. */
const sawAtUnknownTime = (seen: LookupResult): Some => ({ by: 'recover', seen })

const send: Step = { do: 'send' }
const look: Step = { do: 'look' }
const keep = (state: 'planned' | 'sent' | 'unknown'): Step => ({ do: 'keep', state })
const succeeded: Step = { do: 'finish', state: 'succeeded', effect }
const rejected: Step = { do: 'finish', state: 'rejected' }
const needsReview = (reason: string): Step => ({ do: 'finish', state: 'needs_review', reason })
const notExecuted = (reason: string): Step => ({ do: 'finish', state: 'not_executed', reason })
const tooLate = notExecuted('no request took effect before resendFor had passed')
const unsent = notExecuted('no request was sent before resendFor had passed')
const notFound = notExecuted('no payment of this order appeared within 150 seconds of the last request')
const forgotten = needsReview('no effect is visible, and the service may have forgotten the key')
const twoMatch = needsReview('two match')

type Row = [title: string, operation: OpenOperation, facts: Some, step: Step]

const check = (rows: readonly Row[]) =>
  it.each(rows)('%s', (_, operation, facts, step) => {
    expect(decide(operation, { by: 'run', now, keyLifetime: day, ...facts })).toEqual(step)
  })

describe('decide() for an operation that changes a payment', () => {
  check([
    ['a capture is sent if it is new', change, {}, send],
    ['a capture is sent by recover without a lookup if it is new', change, byRecover, send],
    ['a capture is sent at any age if it was never sent', { ...change, createdAt: now - 2 * day }, byRecover, send],
    ['a capture is retried until keyLifetime has passed', unknown(change, day - 1), {}, send],
    ['a capture is looked up after keyLifetime has passed', old, {}, look],
    ['a capture is looked up after keyLifetime even if no request took effect', limited(change, day), {}, look],
    ['a capture is retried after a 429 response', limited(change, 1), byRecover, send],
    ['a capture is looked up by recover before a retry', recent, byRecover, look],
    ['a capture is retried by recover after the lookup', recent, saw(none), send],
    ['a capture is retried by recover even if the payment shows its effect', recent, saw(visible), send],
    [
      'a capture is retried by recover if the looked-up response has no Date header',
      recent,
      sawAtUnknownTime(none),
      send,
    ],
    ['a capture is retried by recover if the API key may not read the payment', recent, saw(unreadable), send],
    [
      'a capture stays "unknown" if the service does not respond',
      recent,
      sawAtUnknownTime(unreadable),
      keep('unknown'),
    ],
    [
      'a capture requires a review if keyLifetime has passed on the service’s clock',
      recent,
      saw(none, now - 1 + day),
      forgotten,
    ],
    [
      'a capture is retried before keyLifetime ends on the corrected clock',
      { ...recent, details: { clockOffset: day } },
      saw(none, now + day),
      send,
    ],
    [
      'a capture requires a review if keyLifetime has passed on the database’s clock',
      old,
      saw(none, now - day),
      forgotten,
    ],
    ['a capture succeeds after keyLifetime if the payment shows its effect', old, { seen: visible }, succeeded],
    ['a capture requires a review after keyLifetime if it has no visible effect', old, { seen: none }, forgotten],
    [
      'a capture becomes "not_executed" if its payment has failed',
      old,
      { seen: { kind: 'failed' } },
      notExecuted('the payment has failed, and no effect is visible'),
    ],
    ['a capture requires a review if two effects match it', old, { seen: unclear }, twoMatch],
    ['a capture stays "unknown" while an older operation is open', old, { seen: otherFirst }, keep('unknown')],
    [
      'a capture stays "unknown" after keyLifetime if the payment cannot be read',
      old,
      { seen: unreadable },
      keep('unknown'),
    ],
    ['a capture is looked up if its body was not stored', bodiless(recent), {}, look],
    [
      'a capture is retried without a stored body if the caller passes the body again',
      bodiless(recent),
      { hasBody: true },
      send,
    ],
    [
      'a capture stays "unknown" without a stored body if no effect is visible',
      bodiless(recent),
      { seen: none },
      keep('unknown'),
    ],
    [
      'a capture succeeds without a stored body if the payment shows its effect',
      bodiless(recent),
      { seen: visible },
      succeeded,
    ],
    ['a capture without a stored body requires a review after keyLifetime', bodiless(old), { seen: none }, forgotten],
    [
      'a capture without a stored body stays "planned" until keyLifetime has passed',
      bodiless({ ...change, createdAt: now - day + 1 }),
      { seen: none },
      keep('planned'),
    ],
    [
      'a capture without a stored body becomes "not_executed" if it was never sent',
      bodiless({ ...change, createdAt: now - day }),
      { seen: none },
      notExecuted('no request was sent before keyLifetime had passed'),
    ],
    [
      'a capture without a stored body is sent at any age if the caller passes the body',
      bodiless({ ...change, createdAt: now - 2 * day }),
      { hasBody: true },
      send,
    ],
  ])
})

describe('decide() for an operation that creates a payment', () => {
  check([
    ['a planned payment is sent', create, {}, send],
    ['a planned payment is first looked up by recover, to read the service’s clock', create, byRecover, look],
    ['a planned payment is sent by recover after the lookup', create, saw(notYet), send],
    [
      'a planned payment stays "planned" if the list of payments cannot be read',
      create,
      sawAtUnknownTime(unreadable),
      keep('planned'),
    ],
    ['a planned payment is sent if the API key may not read the list of payments', create, saw(unreadable), send],
    ['a planned payment is sent until resendFor has passed', { ...create, createdAt: now - minute + 1 }, {}, send],
    ['a planned payment is not sent after resendFor', { ...create, createdAt: now - minute }, {}, tooLate],
    ['a planned payment is looked up by a direct call after resendFor', expired, { by: 'call' }, look],
    ['a planned payment is looked up after resendFor, as a record may have been lost', expired, {}, look],
    ['a planned payment becomes "succeeded" if its payment exists', expired, { seen: visible }, succeeded],
    ['a planned payment becomes "not_executed" if its payment is missing', expired, { seen: none }, unsent],
    [
      'a planned payment stays "planned" while it may still appear in the list',
      expired,
      { seen: notYet },
      keep('planned'),
    ],
    [
      'a planned payment stays "planned" after resendFor if the list cannot be read',
      expired,
      { seen: unreadable },
      keep('planned'),
    ],
    [
      'a planned payment is not sent if resendFor has passed on the service’s clock',
      create,
      saw(none, now - 1 + minute),
      tooLate,
    ],
    ['a planned payment is not sent after a resendFor of less than a minute', { ...create, resendFor: 1 }, {}, tooLate],
    ['a payment is retried after a 429 response', limited(create, minute - 1), {}, send],
    ['a payment is not retried after a 429 response if resendFor has passed', limited(create, minute), {}, tooLate],
    ['a payment is retried until resendFor has passed', unknown(create, minute - 1), {}, send],
    [
      'a payment is retried until a resendFor of over a minute has passed',
      unknown(create, 2 * minute, { resendFor: 5 * minute, createdAt: now - 6 * minute }),
      {},
      send,
    ],
    ['a payment is looked up after resendFor', oldCreate, {}, look],
    [
      'a planned payment is sent after keyLifetime if resendFor is longer',
      { ...renewal, createdAt: now - day },
      {},
      send,
    ],
    ['a payment is looked up after keyLifetime even if resendFor is longer', unknown(renewal, day), {}, look],
    ['a payment is retried by recover before keyLifetime ends', unknown(renewal, day - 1), saw(none), send],
    [
      'a payment succeeds after keyLifetime if recover finds the payment',
      unknown(renewal, day),
      saw(visible),
      succeeded,
    ],
    [
      'a payment without an order id is not retried after keyLifetime',
      limited({ ...renewal, orderId: undefined }, day),
      {},
      tooLate,
    ],
    [
      'a payment is retried if its first request was sent just before resendFor ended',
      unknown(create, 1, { createdAt: now - minute }),
      {},
      send,
    ],
    [
      'a payment is looked up if a process claimed it after resendFor and died',
      unknown(create, 1, { createdAt: now - 1 - minute }),
      {},
      look,
    ],
    ['a payment is looked up instead of retried if its body was not stored', bodiless(unknown(create, 1)), {}, look],
    ['a payment succeeds if the payment is found', oldCreate, { seen: visible }, succeeded],
    ['a payment becomes "not_executed" if the payment is missing', oldCreate, { seen: none }, notFound],
    [
      'a missing payment becomes "rejected" if a later request was rejected',
      { ...oldCreate, details: { httpStatus: 409 } },
      { seen: none },
      rejected,
    ],
    ['a payment stays "unknown" until the list of payments is complete', oldCreate, { seen: notYet }, keep('unknown')],
    ['a payment stays "unknown" while an older operation is open', oldCreate, { seen: otherFirst }, keep('unknown')],
    [
      'a payment stays "unknown" after resendFor if the list cannot be read',
      oldCreate,
      { seen: unreadable },
      keep('unknown'),
    ],
    [
      'a missing payment requires a review if the service reports a used key',
      { ...oldCreate, details: { isKeyUsed: true, httpStatus: 409 } },
      { seen: none },
      needsReview('the service reports that the key was used, but no payment with these values is in the list'),
    ],
    ['a payment requires a review if two payments match it', oldCreate, { seen: unclear }, twoMatch],
  ])
})

describe('decide() for an operation that creates a payment with resendFor: 0', () => {
  check([
    ['a payment with resendFor: 0 is sent by run if no request was sent', neverResent, {}, send],
    ['a payment with resendFor: 0 is sent by a direct call if no request was sent', neverResent, { by: 'call' }, send],
    ['a payment with resendFor: 0 stays "planned" if recover looks it up', neverResent, saw(none), keep('planned')],
    [
      'a payment with resendFor: 0 is sent by run within a minute',
      { ...neverResent, createdAt: now - minute + 1 },
      {},
      send,
    ],
    [
      'a payment with resendFor: 0 is not sent by run after a minute',
      { ...neverResent, createdAt: now - minute },
      {},
      tooLate,
    ],
    ['a payment with resendFor: 0 is not retried after a 429 response', limited(neverResent, 1), {}, tooLate],
    ['a payment with resendFor: 0 is looked up instead of retried', unknown(neverResent, 1), {}, look],
    ['a payment with resendFor: 0 is looked up if its start time is in the future', unknown(neverResent, -1), {}, look],
    [
      'a payment with resendFor: 0 is looked up if a process died after a late claim',
      unknown(neverResent, 1, { createdAt: now - 1 - minute }),
      {},
      look,
    ],
  ])
})

describe('decide() for an operation after an attempt to send it', () => {
  const done = (result: LookupResult): Some => ({ reply: { kind: 'done', result } })
  const open = (isSent: boolean, isAmbiguous: boolean): Some => ({ reply: { kind: 'open', isSent, isAmbiguous } })
  const invalid: Reply = { kind: 'invalid' }
  const rejection: Reply = { kind: 'rejected', isAmbiguous: false, isOnlyRequest: true }
  const ambiguous: Reply = { ...rejection, isAmbiguous: true }
  const noEffect: Some = { reply: rejection, seen: none }
  const keyUsed: Reply = { kind: 'open', isSent: true, isAmbiguous: true, isKeyUsed: true }

  check([
    ['an operation succeeds if the response shows its effect', change, done(visible), succeeded],
    ['an operation requires a review if several effects in the response match it', recent, done(unclear), twoMatch],
    ['an operation stays "unknown" if the response does not show its effect', change, done(none), keep('unknown')],
    ['an operation stays "planned" if its arguments are invalid', change, { reply: invalid }, keep('planned')],
    ['an operation stays "unknown" if its arguments are invalid', recent, { reply: invalid }, keep('unknown')],
    ['an operation stays "planned" if no request was sent', change, open(false, false), keep('planned')],
    ['an operation stays "sent" if no further request was sent', limited(change, 1), open(false, false), keep('sent')],
    ['an operation becomes "sent" after a 429 response', change, open(true, false), keep('sent')],
    ['an operation becomes "unknown" after an ambiguous failure', change, open(true, true), keep('unknown')],
    ['an operation stays "unknown" after a 429 response', recent, open(true, false), keep('unknown')],
    ['an operation is looked up if its key was used', recent, { reply: keyUsed }, look],
    [
      'an operation stays "unknown" if its key was used and no effect is visible',
      recent,
      { reply: keyUsed, seen: none },
      keep('unknown'),
    ],
    [
      'an operation stays "unknown" if its key was used although nothing was left to refund',
      recent,
      { reply: keyUsed, seen: impossible },
      keep('unknown'),
    ],
    [
      'an operation with a used key becomes "not_executed" if the payment has failed',
      recent,
      { reply: keyUsed, seen: { kind: 'failed' } },
      notExecuted('the payment has failed, and no effect is visible'),
    ],
    [
      'an operation is looked up if it creates a payment and its key was used',
      unknown(create, 1),
      { reply: keyUsed },
      look,
    ],
    [
      'an operation succeeds if its key was used and its effect is visible',
      recent,
      { reply: keyUsed, seen: visible },
      succeeded,
    ],
  ])
  describe('that the service rejected', () => {
    check([
      ['a rejected operation becomes "rejected" if that was its first request', change, { reply: rejection }, rejected],
      [
        'a rejected operation becomes "rejected" if all earlier responses were a 429',
        limited(change, 1),
        { reply: rejection },
        rejected,
      ],
      [
        'a rejected operation is looked up if the call’s first attempt was ambiguous',
        change,
        { reply: ambiguous },
        look,
      ],
      ['a rejected operation is looked up if an earlier call was ambiguous', recent, { reply: rejection }, look],
      [
        'a rejected operation succeeds if the payment shows its effect',
        recent,
        { reply: rejection, seen: visible },
        succeeded,
      ],
      [
        'a rejected operation becomes "rejected" if no effect is visible 90 s later',
        unknown(change, 90_000),
        noEffect,
        rejected,
      ],
      [
        'a rejected operation stays "unknown" while a request may take effect',
        unknown(change, 89_999),
        noEffect,
        keep('unknown'),
      ],
      [
        'a rejected operation stays "unknown" until 90 s have passed on the database’s clock',
        unknown(change, 30_000),
        { ...noEffect, serviceNow: now + 60_000 },
        keep('unknown'),
      ],
      [
        'a rejected operation stays "unknown" until 90 s have passed on the service’s clock',
        unknown(change, 90_000),
        { ...noEffect, serviceNow: now - 1 },
        keep('unknown'),
      ],
      [
        'a rejected operation stays "unknown" for 90 s even if nothing was left to refund',
        unknown(change, 89_999),
        { reply: rejection, seen: impossible },
        keep('unknown'),
      ],
      [
        'a rejected operation becomes "rejected" after 90 s if nothing was left to refund',
        unknown(change, 90_000),
        { reply: rejection, seen: impossible },
        rejected,
      ],
      [
        'a rejected operation stays "unknown" for 90 s after a later request',
        unknown(change, 2 * minute, { lastSentAt: now - 89_999 }),
        noEffect,
        keep('unknown'),
      ],
      [
        'a rejected operation stays "unknown" after an ambiguous request of the same call',
        unknown(change, 90_000),
        { reply: { ...ambiguous, isOnlyRequest: false }, seen: none },
        keep('unknown'),
      ],
      [
        'a rejected operation requires a review if two effects match it',
        recent,
        { reply: rejection, seen: unclear },
        twoMatch,
      ],
      [
        'a rejected operation stays "unknown" if the payment cannot be read',
        recent,
        { reply: rejection, seen: unreadable },
        keep('unknown'),
      ],
      [
        'a rejected operation stays "unknown" until the list is complete',
        change,
        { reply: ambiguous, seen: notYet },
        keep('unknown'),
      ],
      [
        'a rejected operation becomes "rejected" if an older one explains the effect',
        unknown(change, 90_000),
        { reply: rejection, seen: otherFirst },
        rejected,
      ],
      [
        'a rejected operation stays "unknown" while a newer operation is open',
        recent,
        { reply: rejection, seen: newerFirst },
        keep('unknown'),
      ],
    ])
  })
})

describe('resendableFor', () => {
  const facts = { now, keyLifetime: day }

  it.each<[title: string, operation: OpenOperation, ms: number]>([
    ['the rest of resendFor since the first request of payments.create', unknown(create, 1_000), minute - 1_000],
    ['the rest of resendFor since payments.create was planned', { ...create, createdAt: now - 5 }, minute - 5],
    ['the rest of keyLifetime since the first request of a change', unknown(change, 1_000), day - 1_000],
    ['the rest of keyLifetime if resendFor is longer', unknown(renewal, 1_000), day - 1_000],
  ])('returns %s', (_, operation, ms) => {
    expect(resendableFor(operation, facts)).toBe(ms)
  })

  it.each<[boolean, title: string, operation: OpenOperation]>([
    [true, 'in the last millisecond of resendFor', unknown(create, minute - 1)],
    [false, 'after resendFor', unknown(create, minute)],
    [false, 'without a body', bodiless(unknown(create, 1))],
  ])('makes mayBeResent return %s for an operation %s', (isExpected, _, operation) => {
    expect(mayBeResent(operation, facts)).toBe(isExpected)
  })
})
