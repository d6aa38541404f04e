import { describe, expect, it } from 'vitest'
import {
  decide,
  type Facts,
  type LookupResult,
  type OpenOperation,
  type Reply,
  resendableFor,
  type Step,
  willBeResent,
} from '../../src/operations/decide.js'

const now = 1_000_000_000
const minute = 60_000
const day = 24 * 60 * minute

/** A planned capture, cancellation or refund for which no request was sent. */
const change: OpenOperation = {
  operation: 'payments.capture',
  state: 'planned',
  createdAt: now - 1,
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
  ...more,
})

const effect = { paymentId: 'pay_1', status: 'SETTLED' }
const visible: LookupResult = { kind: 'effect', effect }
const none: LookupResult = { kind: 'none' }
const unclear: LookupResult = { kind: 'unclear', reason: 'two match' }
const notYet: LookupResult = { kind: 'not-yet' }
const olderFirst: LookupResult = { kind: 'older-first' }
const newerFirst: LookupResult = { kind: 'newer-first' }
const unreadable: LookupResult = { kind: 'unreadable' }

const send: Step = { do: 'send' }
const look: Step = { do: 'look' }
const keep = (state: 'planned' | 'sent' | 'unknown'): Step => ({ do: 'keep', state })
const succeeded: Step = { do: 'finish', state: 'succeeded', effect }
const rejected: Step = { do: 'finish', state: 'rejected' }
const needsReview = (reason: string): Step => ({ do: 'finish', state: 'needs_review', reason })
const notExecuted = (reason: string): Step => ({ do: 'finish', state: 'not_executed', reason })
const tooLate = notExecuted('no request took effect before resendFor had passed')
const notFound = notExecuted('no payment of this order appeared within 150 seconds of the last request')
const forgotten = needsReview('no effect is visible, and the service may have forgotten the key')

type Row = [title: string, operation: OpenOperation, facts: Partial<Facts>, step: Step]

const check = (rows: readonly Row[]) =>
  it.each(rows)('%s', (_, operation, facts, step) => {
    expect(decide(operation, { by: 'run', now, keyLifetime: day, ...facts })).toEqual(step)
  })

describe('an operation that changes a payment, according to decide(),', () => {
  check([
    ['is sent if it is new', change, {}, send],
    ['is sent by settle without a lookup if it is new', change, { by: 'settle' }, send],
    ['is sent at any age if it was never sent', { ...change, createdAt: now - 2 * day }, { by: 'settle' }, send],
    ['is retried until keyLifetime has passed', unknown(change, day - 1), {}, send],
    ['is looked up after keyLifetime has passed', unknown(change, day), {}, look],
    [
      'is looked up after keyLifetime has passed, even if no request took effect',
      { ...unknown(change, day), state: 'sent' },
      {},
      look,
    ],
    ['is retried after a 429 response', { ...unknown(change, 1), state: 'sent' }, { by: 'settle' }, send],
    ['is looked up by settle before a retry', unknown(change, 1), { by: 'settle' }, look],
    ['is retried by settle after the lookup', unknown(change, 1), { by: 'settle', seen: none, serviceNow: now }, send],
    [
      'is retried by settle even if the payment shows its effect',
      unknown(change, 1),
      { by: 'settle', seen: visible, serviceNow: now },
      send,
    ],
    [
      'is retried by settle if the response to the lookup has no Date header',
      unknown(change, 1),
      { by: 'settle', seen: none },
      send,
    ],
    [
      'is retried by settle if the API key may not read the payment',
      unknown(change, 1),
      { by: 'settle', seen: unreadable, serviceNow: now },
      send,
    ],
    [
      'stays "unknown" if the service does not respond',
      unknown(change, 1),
      { by: 'settle', seen: unreadable },
      keep('unknown'),
    ],
    [
      'needs a review if keyLifetime has passed on the service’s clock',
      unknown(change, 1),
      { by: 'settle', seen: none, serviceNow: now - 1 + day },
      forgotten,
    ],
    [
      'is retried if the service’s time, corrected by the clock difference, is before the end of keyLifetime',
      unknown(change, 1, { details: { clockOffset: day } }),
      { by: 'settle', seen: none, serviceNow: now + day },
      send,
    ],
    [
      'needs a review if keyLifetime has passed on the database’s clock, and the service’s clock is behind',
      unknown(change, day),
      { by: 'settle', seen: none, serviceNow: now - day },
      forgotten,
    ],
    ['succeeds after keyLifetime if the payment shows its effect', unknown(change, day), { seen: visible }, succeeded],
    ['needs a review after keyLifetime if it has no visible effect', unknown(change, day), { seen: none }, forgotten],
    [
      'becomes "not_executed" if its payment has failed',
      unknown(change, day),
      { seen: { kind: 'failed' } },
      notExecuted('the payment has failed, and no effect is visible'),
    ],
    ['needs a review if two effects match it', unknown(change, day), { seen: unclear }, needsReview('two match')],
    ['stays "unknown" while an older operation is open', unknown(change, day), { seen: olderFirst }, keep('unknown')],
    [
      'stays "unknown" after keyLifetime if the payment cannot be read',
      unknown(change, day),
      { seen: unreadable },
      keep('unknown'),
    ],
    ['is looked up if its body was not stored', unknown(change, 1, { details: { isBodyOmitted: true } }), {}, look],
    [
      'is retried without a stored body if the caller passes the body again',
      unknown(change, 1, { details: { isBodyOmitted: true } }),
      { hasBody: true },
      send,
    ],
    [
      'stays "unknown" if its body was not stored and the payment shows no effect',
      unknown(change, 1, { details: { isBodyOmitted: true } }),
      { seen: none },
      keep('unknown'),
    ],
    [
      'succeeds if its body was not stored but the payment shows its effect',
      unknown(change, 1, { details: { isBodyOmitted: true } }),
      { seen: visible },
      succeeded,
    ],
    [
      'needs a review after keyLifetime if its body was not stored and the payment shows no effect',
      unknown(change, day, { details: { isBodyOmitted: true } }),
      { seen: none },
      forgotten,
    ],
  ])
})

describe('an operation that creates a payment, according to decide(),', () => {
  check([
    ['is sent if it is planned', create, {}, send],
    ['is looked up by settle first, to read the service’s clock', create, { by: 'settle' }, look],
    [
      'is sent by settle after the lookup if it is planned',
      create,
      { by: 'settle', seen: notYet, serviceNow: now },
      send,
    ],
    [
      'stays "planned" if the list of payments cannot be read',
      create,
      { by: 'settle', seen: unreadable },
      keep('planned'),
    ],
    [
      'is sent if the API key may not read the list of payments',
      create,
      { by: 'settle', seen: unreadable, serviceNow: now },
      send,
    ],
    ['is sent until resendFor has passed if it is planned', { ...create, createdAt: now - minute + 1 }, {}, send],
    ['is not sent after resendFor if it is planned', { ...create, createdAt: now - minute }, {}, tooLate],
    ['is looked up after resendFor if it is planned, because the database may have lost a record', expired, {}, look],
    ['becomes "succeeded" if it is planned, but its payment exists', expired, { seen: visible }, succeeded],
    ['becomes "not_executed" if it is planned and the payment is missing', expired, { seen: none }, notFound],
    ['stays "planned" while its payment may still appear in the list', expired, { seen: notYet }, keep('planned')],
    ['stays "planned" after resendFor if the list cannot be read', expired, { seen: unreadable }, keep('planned')],
    [
      'is not sent after resendFor on the service’s clock if it is planned',
      create,
      { by: 'settle', seen: none, serviceNow: now - 1 + minute },
      tooLate,
    ],
    ['is sent by run if resendFor is 0 and no request was sent', { ...create, resendFor: 0 }, {}, send],
    [
      'is sent by a direct call if resendFor is 0 and no request was sent',
      { ...create, resendFor: 0 },
      { by: 'call' },
      send,
    ],
    [
      'stays "planned" in settle if resendFor is 0',
      { ...create, resendFor: 0 },
      { by: 'settle', seen: none, serviceNow: now },
      keep('planned'),
    ],
    [
      'is sent by run within a minute if resendFor is 0',
      { ...create, resendFor: 0, createdAt: now - minute + 1 },
      {},
      send,
    ],
    [
      'is not sent by run after a minute if resendFor is 0',
      { ...create, resendFor: 0, createdAt: now - minute },
      {},
      tooLate,
    ],
    ['is not sent after a resendFor of less than a minute', { ...create, resendFor: 1 }, {}, tooLate],
    ['is retried after a 429 response', { ...unknown(create, minute - 1), state: 'sent' }, {}, send],
    [
      'is not retried after a 429 response if resendFor has passed',
      { ...unknown(create, minute), state: 'sent' },
      {},
      tooLate,
    ],
    [
      'is not retried after a 429 response if resendFor is 0',
      { ...unknown(create, 1), state: 'sent', resendFor: 0 },
      {},
      tooLate,
    ],
    ['is retried until resendFor has passed', unknown(create, minute - 1), {}, send],
    [
      'is retried until a resendFor of more than a minute has passed since its first request',
      unknown(create, 2 * minute, { resendFor: 5 * minute, createdAt: now - 6 * minute }),
      {},
      send,
    ],
    ['is looked up after resendFor', unknown(create, minute), {}, look],
    [
      'is retried if its first request was sent just before resendFor had passed',
      unknown(create, 1, { createdAt: now - minute }),
      {},
      send,
    ],
    [
      'is looked up if a process claimed it after resendFor and died',
      unknown(create, 1, { createdAt: now - 1 - minute }),
      {},
      look,
    ],
    [
      'is looked up if resendFor is 0, and a process claimed it after a minute and died',
      unknown(create, 1, { createdAt: now - 1 - minute, resendFor: 0 }),
      {},
      look,
    ],
    ['is looked up instead of retried if resendFor is 0', unknown(create, 1, { resendFor: 0 }), {}, look],
    [
      'is looked up if resendFor is 0 and the stored start time is in the future',
      unknown(create, -1, { resendFor: 0 }),
      {},
      look,
    ],
    [
      'is looked up instead of retried if its body was not stored',
      unknown(create, 1, { details: { isBodyOmitted: true } }),
      {},
      look,
    ],
    ['succeeds if the payment is found', unknown(create, minute), { seen: visible }, succeeded],
    ['becomes "not_executed" if the payment is missing', unknown(create, minute), { seen: none }, notFound],
    [
      'becomes "rejected" if the payment is missing and a later request was rejected',
      unknown(create, minute, { details: { httpStatus: 409 } }),
      { seen: none },
      rejected,
    ],
    [
      'stays "unknown" until the list of payments is complete',
      unknown(create, minute),
      { seen: notYet },
      keep('unknown'),
    ],
    [
      'stays "unknown" while an older operation is open',
      unknown(create, minute),
      { seen: olderFirst },
      keep('unknown'),
    ],
    [
      'stays "unknown" after resendFor if the list of payments cannot be read',
      unknown(create, minute),
      { seen: unreadable },
      keep('unknown'),
    ],
    [
      'needs a review if the payment is missing and the service reports that the key was used',
      unknown(create, minute, { details: { isKeyUsed: true, httpStatus: 409 } }),
      { seen: none },
      needsReview('the service reports that the key was used, but no payment with these values is in the list'),
    ],
    ['needs a review if two payments match it', unknown(create, minute), { seen: unclear }, needsReview('two match')],
  ])
})

describe('an operation after an attempt to send it, according to decide(),', () => {
  const done = (result: LookupResult): Reply => ({ kind: 'done', result })
  const rejection = (isAmbiguous: boolean, isOnlyRequest = true): Reply => ({
    kind: 'rejected',
    isAmbiguous,
    isOnlyRequest,
  })
  const open = (isSent: boolean, isAmbiguous: boolean): Reply => ({ kind: 'open', isSent, isAmbiguous })
  const keyUsed: Reply = { kind: 'open', isSent: true, isAmbiguous: true, isKeyUsed: true }
  const invalid: Reply = { kind: 'invalid', reason: 'x' }
  const before = unknown(change, 1)

  check([
    ['succeeds if the response shows its effect', change, { reply: done(visible) }, succeeded],
    [
      'needs a review if several effects in the response match it',
      before,
      { reply: done(unclear) },
      needsReview('two match'),
    ],
    ['stays "unknown" if the response does not show its effect', change, { reply: done(none) }, keep('unknown')],
    ['becomes "not_executed" if its arguments are invalid', change, { reply: invalid }, notExecuted('x')],
    [
      'is looked up if its arguments are invalid and an earlier request may have taken effect',
      before,
      { reply: invalid },
      look,
    ],
    [
      'succeeds if its arguments are invalid, but the payment shows its effect',
      before,
      { reply: invalid, seen: visible },
      succeeded,
    ],
    [
      'needs a review if its arguments are invalid and the payment shows no effect',
      before,
      { reply: invalid, seen: none },
      needsReview('x'),
    ],
    [
      'becomes "not_executed" if its arguments are invalid and the complete list lacks its payment',
      unknown(create, 1),
      { reply: invalid, seen: none },
      notFound,
    ],
    ['stays "planned" if no request was sent', change, { reply: open(false, false) }, keep('planned')],
    [
      'stays "sent" if no further request was sent',
      { ...before, state: 'sent' },
      { reply: open(false, false) },
      keep('sent'),
    ],
    ['becomes "sent" after a 429 response', change, { reply: open(true, false) }, keep('sent')],
    ['becomes "unknown" after an ambiguous failure', change, { reply: open(true, true) }, keep('unknown')],
    ['stays "unknown" after a 429 response', before, { reply: open(true, false) }, keep('unknown')],
    ['is looked up if its key was used', before, { reply: keyUsed }, look],
    [
      'stays "unknown" if its key was used and no effect is visible',
      before,
      { reply: keyUsed, seen: none },
      keep('unknown'),
    ],
    [
      'becomes "not_executed" if its key was used and the payment has failed',
      before,
      { reply: keyUsed, seen: { kind: 'failed' } },
      notExecuted('the payment has failed, and no effect is visible'),
    ],
    ['stays "unknown" if the key of a payment was used', unknown(create, 1), { reply: keyUsed }, keep('unknown')],
    ['becomes "rejected" if its first request is rejected', change, { reply: rejection(false) }, rejected],
    [
      'becomes "rejected" if a retry after a 429 response is rejected',
      { ...before, state: 'sent' },
      { reply: rejection(false) },
      rejected,
    ],
    ['is looked up if a call is rejected after its ambiguous first attempt', change, { reply: rejection(true) }, look],
    ['is looked up if a call is rejected after an earlier ambiguous call', before, { reply: rejection(false) }, look],
    [
      'succeeds after a rejection if the payment shows its effect',
      before,
      { reply: rejection(false), seen: visible },
      succeeded,
    ],
    [
      'becomes "rejected" after a rejection if the payment shows no effect 90 s after the earlier request',
      unknown(change, 90_000),
      { reply: rejection(false), seen: none },
      rejected,
    ],
    [
      'stays "unknown" after a rejection while the earlier request may still take effect',
      unknown(change, 89_999),
      { reply: rejection(false), seen: none },
      keep('unknown'),
    ],
    [
      'stays "unknown" after a rejection if a later request was sent less than 90 s ago',
      unknown(change, 2 * minute, { lastSentAt: now - 89_999 }),
      { reply: rejection(false), seen: none },
      keep('unknown'),
    ],
    [
      'stays "unknown" after a rejection if the same call sent an ambiguous request before',
      unknown(change, 90_000),
      { reply: rejection(true, false), seen: none },
      keep('unknown'),
    ],
    [
      'needs a review after a rejection if two effects match it',
      before,
      { reply: rejection(false), seen: unclear },
      needsReview('two match'),
    ],
    [
      'stays "unknown" after a rejection if the payment cannot be read',
      before,
      { reply: rejection(false), seen: unreadable },
      keep('unknown'),
    ],
    [
      'stays "unknown" after a rejection until the list of payments is complete',
      change,
      { reply: rejection(true), seen: notYet },
      keep('unknown'),
    ],
    [
      'becomes "rejected" after a rejection if the visible effect belongs to an older operation',
      unknown(change, 90_000),
      { reply: rejection(false), seen: olderFirst },
      rejected,
    ],
    [
      'stays "unknown" after a rejection while a newer operation is open',
      before,
      { reply: rejection(false), seen: newerFirst },
      keep('unknown'),
    ],
  ])
})

describe('resendableFor', () => {
  const facts = { now, keyLifetime: day }

  it.each<[title: string, operation: OpenOperation, ms: number]>([
    ['the rest of resendFor since the first request of payments.create', unknown(create, 1_000), minute - 1_000],
    [
      'the rest of resendFor since a payments.create operation was planned',
      { ...create, createdAt: now - 5 },
      minute - 5,
    ],
    [
      'the rest of keyLifetime since the first request of an operation that changes a payment',
      unknown(change, 1_000),
      day - 1_000,
    ],
  ])('returns %s', (_, operation, ms) => {
    expect(resendableFor(operation, facts)).toBe(ms)
  })

  it.each<[boolean, title: string, operation: OpenOperation]>([
    [true, 'in the last millisecond of resendFor', unknown(create, minute - 1)],
    [false, 'after resendFor', unknown(create, minute)],
    [false, 'without a body', unknown(create, 1, { details: { isBodyOmitted: true } })],
  ])('makes willBeResent return %s for an operation %s', (isExpected, _, operation) => {
    expect(willBeResent(operation, facts)).toBe(isExpected)
  })
})
