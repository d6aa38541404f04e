import { describe, expect, it } from 'vitest'
import {
  decide,
  type Facts,
  type OpenOperation,
  type Reply,
  type Sighting,
  type Step,
} from '../../src/operations/decide.js'

const now = 1_000_000_000
const minute = 60_000
const day = 24 * 60 * minute

/** A capture, cancellation or refund that was not yet sent. */
const change: OpenOperation = {
  isCreate: false,
  state: 'planned',
  createdAt: now - 1,
  resendFor: minute,
  canSend: true,
  wasRefused: false,
}
const create: OpenOperation = { ...change, isCreate: true }

/** Returns an operation that was first sent `age` milliseconds ago, and whose request may have taken effect. */
const unknown = (operation: OpenOperation, age: number, more: Partial<OpenOperation> = {}): OpenOperation => ({
  ...operation,
  state: 'unknown',
  createdAt: now - age - 5,
  firstSentAt: now - age,
  ...more,
})

const effect = { paymentId: 'pay_1', status: 'SETTLED' }
const visible: Sighting = { kind: 'effect', effect }
const none: Sighting = { kind: 'none' }
const unclear: Sighting = { kind: 'unclear', reason: 'two match' }
const notYet: Sighting = { kind: 'not-yet' }
const olderFirst: Sighting = { kind: 'older-first' }
const newerFirst: Sighting = { kind: 'newer-first' }
const unreadable: Sighting = { kind: 'unreadable' }

const send: Step = { do: 'send' }
const look: Step = { do: 'look' }
const keep = (state: 'planned' | 'sent' | 'unknown'): Step => ({ do: 'keep', state })
const succeeded: Step = { do: 'finish', state: 'succeeded', effect }
const rejected: Step = { do: 'finish', state: 'rejected' }
const needsReview = (reason: string): Step => ({ do: 'finish', state: 'needs_review', reason })
const tooLate: Step = {
  do: 'finish',
  state: 'not_executed',
  reason: 'resendFor passed before a request could take effect',
}
const notFound: Step = {
  do: 'finish',
  state: 'not_executed',
  reason: 'no payment of this order appeared within a minute',
}
const forgotten = needsReview('no effect is visible, and the service may have forgotten the key')

type Row = [title: string, operation: OpenOperation, facts: Partial<Facts>, step: Step]

const check = (rows: readonly Row[]) =>
  it.each(rows)('%s', (_, operation, facts, step) => {
    expect(decide(operation, { by: 'run', now, keyLifetime: day, ...facts })).toEqual(step)
  })

describe('decide, for a change of a payment', () => {
  check([
    ['sends a new operation', change, {}, send],
    ['sends a new operation from settle without a look', change, { by: 'settle' }, send],
    ['sends a new operation after any time', { ...change, createdAt: now - 2 * day }, { by: 'settle' }, send],
    ['sends it again until keyLifetime', unknown(change, day - 1), {}, send],
    ['looks from keyLifetime on', unknown(change, day), {}, look],
    ['looks from keyLifetime on if no request took effect', { ...unknown(change, day), state: 'sent' }, {}, look],
    ['sends it again after a 429', { ...unknown(change, 1), state: 'sent' }, { by: 'settle' }, send],
    ['looks first in settle', unknown(change, 1), { by: 'settle' }, look],
    [
      'sends it again after the look of settle',
      unknown(change, 1),
      { by: 'settle', seen: none, serviceNow: now },
      send,
    ],
    [
      'sends it although an effect is visible',
      unknown(change, 1),
      { by: 'settle', seen: visible, serviceNow: now },
      send,
    ],
    ['sends it if the service sends no Date', unknown(change, 1), { by: 'settle', seen: none }, send],
    [
      'sends it if the payment may not be read',
      unknown(change, 1),
      { by: 'settle', seen: unreadable, serviceNow: now },
      send,
    ],
    ['waits if the service does not respond', unknown(change, 1), { by: 'settle', seen: unreadable }, keep('unknown')],
    [
      'reads the service’s clock, whose time passed keyLifetime',
      unknown(change, 1),
      { by: 'settle', seen: none, serviceNow: now - 1 + day },
      forgotten,
    ],
    [
      'corrects the service’s time by the difference of the clocks',
      unknown(change, 1, { clockOffset: day }),
      { by: 'settle', seen: none, serviceNow: now + day },
      send,
    ],
    [
      'uses the database’s time if the service’s clock is behind',
      unknown(change, day),
      { by: 'settle', seen: none, serviceNow: now - day },
      forgotten,
    ],
    ['finds the effect after keyLifetime', unknown(change, day), { seen: visible }, succeeded],
    ['needs a review without an effect after keyLifetime', unknown(change, day), { seen: none }, forgotten],
    ['needs a review if the effect is unclear', unknown(change, day), { seen: unclear }, needsReview('two match')],
    ['waits for another operation', unknown(change, day), { seen: olderFirst }, keep('unknown')],
    ['waits if the payment is unreadable', unknown(change, day), { seen: unreadable }, keep('unknown')],
    ['looks if it has no body', unknown(change, 1, { canSend: false }), {}, look],
    ['waits without a body', unknown(change, 1, { canSend: false }), { seen: none }, keep('unknown')],
    ['finds the effect without a body', unknown(change, 1, { canSend: false }), { seen: visible }, succeeded],
    ['needs a review without a body', unknown(change, day, { canSend: false }), { seen: none }, forgotten],
  ])
})

describe('decide, for a new payment', () => {
  check([
    ['sends a planned payment', create, {}, send],
    ['looks first in settle, to read the service’s clock', create, { by: 'settle' }, look],
    ['sends a planned payment from settle', create, { by: 'settle', seen: notYet, serviceNow: now }, send],
    ['waits if the list is unreadable', create, { by: 'settle', seen: unreadable }, keep('planned')],
    ['sends it if the list may not be read', create, { by: 'settle', seen: unreadable, serviceNow: now }, send],
    ['sends a planned payment until resendFor', { ...create, createdAt: now - minute + 1 }, {}, send],
    ['does not send a planned payment after resendFor', { ...create, createdAt: now - minute }, {}, tooLate],
    [
      'does not send a planned payment after resendFor on the service’s clock',
      create,
      { by: 'settle', seen: none, serviceNow: now - 1 + minute },
      tooLate,
    ],
    ['sends a payment without resendFor once', { ...create, resendFor: 0 }, {}, send],
    ['sends a payment without resendFor in a call', { ...create, resendFor: 0 }, { by: 'call' }, send],
    ['leaves it to run', { ...create, resendFor: 0 }, { by: 'settle', seen: none, serviceNow: now }, keep('planned')],
    ['leaves it to run for a minute', { ...create, resendFor: 0, createdAt: now - minute + 1 }, {}, send],
    ['gives up a minute later', { ...create, resendFor: 0, createdAt: now - minute }, {}, tooLate],
    ['does not wait a minute with a short resendFor', { ...create, resendFor: 1 }, {}, tooLate],
    ['sends it again after a 429', { ...unknown(create, minute - 1), state: 'sent' }, {}, send],
    ['does not send it again after a 429 and resendFor', { ...unknown(create, minute), state: 'sent' }, {}, tooLate],
    ['does not send it twice without resendFor', { ...unknown(create, 1), state: 'sent', resendFor: 0 }, {}, tooLate],
    ['sends it again until resendFor', unknown(create, minute - 1), {}, send],
    ['looks from resendFor on', unknown(create, minute), {}, look],
    [
      'sends it again if the first request was sent just in time',
      unknown(create, 1, { createdAt: now - minute }),
      {},
      send,
    ],
    [
      'looks if a process claimed it after resendFor and died',
      unknown(create, 1, { createdAt: now - 1 - minute }),
      {},
      look,
    ],
    [
      'looks if a process claimed it after a minute and died',
      unknown(create, 1, { createdAt: now - 1 - minute, resendFor: 0 }),
      {},
      look,
    ],
    ['only looks without resendFor', unknown(create, 1, { resendFor: 0 }), {}, look],
    ['only looks without a body', unknown(create, 1, { canSend: false }), {}, look],
    ['finds the payment', unknown(create, minute), { seen: visible }, succeeded],
    ['is not executed if the payment is missing', unknown(create, minute), { seen: none }, notFound],
    ['is rejected if a later request was', unknown(create, minute, { wasRefused: true }), { seen: none }, rejected],
    ['waits until the list is complete', unknown(create, minute), { seen: notYet }, keep('unknown')],
    ['waits for another operation', unknown(create, minute), { seen: olderFirst }, keep('unknown')],
    ['waits if the list is unreadable after resendFor', unknown(create, minute), { seen: unreadable }, keep('unknown')],
    ['needs a review if several payments match', unknown(create, minute), { seen: unclear }, needsReview('two match')],
  ])
})

describe('decide, after a request', () => {
  const done = (sighting: Sighting): Reply => ({ kind: 'done', sighting })
  const refused = (isAmbiguous: boolean): Reply => ({ kind: 'refused', isAmbiguous })
  const open = (isSent: boolean, isAmbiguous: boolean): Reply => ({ kind: 'open', isSent, isAmbiguous })
  const before = unknown(change, 1)

  check([
    ['succeeds', change, { reply: done(visible) }, succeeded],
    ['needs a review if the effect is unclear', before, { reply: done(unclear) }, needsReview('two match')],
    ['stays unknown if the effect is not visible', change, { reply: done(none) }, keep('unknown')],
    [
      'needs a review if the arguments are invalid',
      change,
      { reply: { kind: 'invalid', reason: 'x' } },
      needsReview('x'),
    ],
    ['stays planned if nothing was sent', change, { reply: open(false, false) }, keep('planned')],
    ['stays sent if nothing was sent', { ...before, state: 'sent' }, { reply: open(false, false) }, keep('sent')],
    ['becomes sent after a 429', change, { reply: open(true, false) }, keep('sent')],
    ['becomes unknown after an ambiguous failure', change, { reply: open(true, true) }, keep('unknown')],
    ['stays unknown after a 429', before, { reply: open(true, false) }, keep('unknown')],
    ['is rejected', change, { reply: refused(false) }, rejected],
    ['is rejected after a 429', { ...before, state: 'sent' }, { reply: refused(false) }, rejected],
    ['looks after an ambiguous attempt', change, { reply: refused(true) }, look],
    ['looks after an unknown result', before, { reply: refused(false) }, look],
    ['succeeds if the effect is visible', before, { reply: refused(false), seen: visible }, succeeded],
    ['is rejected if no effect is visible', before, { reply: refused(false), seen: none }, rejected],
    ['needs a review if it is unclear', before, { reply: refused(false), seen: unclear }, needsReview('two match')],
    ['stays unknown if it is unreadable', before, { reply: refused(false), seen: unreadable }, keep('unknown')],
    ['stays unknown until the list is complete', change, { reply: refused(true), seen: notYet }, keep('unknown')],
    ['leaves the effect to an older operation', before, { reply: refused(false), seen: olderFirst }, rejected],
    ['waits for a newer operation', before, { reply: refused(false), seen: newerFirst }, keep('unknown')],
  ])
})
