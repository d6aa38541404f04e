import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Payment } from '../../../src/index.js'
import * as model from './payment-model.js'
import { compare, goBack, type ModelState, type Real, remember, resultOf } from './state.js'

type Command = fc.AsyncCommand<ModelState, Real>

/** The index of the payment that a command uses. */
const index = fc.nat({ max: 2 })
/**
 * `allowed`: runs the command only if the model allows it. `anything`: always runs it, and the sandbox may reject it.
 */
const mode = fc.constantFrom<'allowed' | 'anything'>('allowed', 'anything')
const scenarioNames = Object.keys(model.behaviours) as model.ScenarioName[]
/** The scenarios with the most transitions. */
const eventful = ['slowSettlement', 'slowSettlement', 'klarna', 'requires3ds', 'pending', 'estimated'] as const
const statuses: model.Status[] = ['PENDING', 'AUTHORIZED', 'SETTLING', 'SETTLED', 'DECLINED', 'FAILED', 'CANCELLED']

const amount = fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constantFrom(1, 50, 100))
const withLargerAmount = (body: { amount?: number }) => ({ ...body, amount: (body.amount ?? 0) + 1 })

/**
 * A merchant's requests about a payment, with their expected results according to the model. If a request has an
 * idempotency key, `otherBody` returns another body, which the service rejects if it is sent with the same key.
 */
const requests: Record<
  'authorize' | 'capture' | 'cancel' | 'refund' | 'adjustAuthorization',
  {
    readonly verdict: (payment: model.ModelPayment, body: never) => model.Verdict
    readonly body: fc.Arbitrary<object>
    readonly otherBody?: (body: object) => object
  }
> = {
  authorize: {
    verdict: model.authorize,
    body: fc.constant({ processor: { processorMerchantId: 'merchant' } }),
    otherBody: () => ({ processor: { processorMerchantId: 'another' } }),
  },
  capture: {
    verdict: model.capture,
    body: fc.record({ amount, final: fc.boolean() }, { requiredKeys: [] }),
    otherBody: withLargerAmount,
  },
  cancel: {
    verdict: model.cancel,
    body: fc.constant({ reason: 'sold out' }),
    otherBody: () => ({ reason: 'another' }),
  },
  refund: {
    verdict: model.refund,
    body: fc.record({ amount }, { requiredKeys: [] }),
    otherBody: withLargerAmount,
  },
  adjustAuthorization: { verdict: model.adjustAuthorization, body: fc.record({ amount }) },
}

interface Attempt {
  index: number
  mode: 'allowed' | 'anything'
}

export const creation: fc.Arbitrary<Command> = fc
  .record({
    scenario: fc.constantFrom(...scenarioNames, ...eventful),
    amount: fc.constantFrom(100, 100, 100, 0),
    isEstimate: fc.boolean(),
  })
  .map((facts) => {
    const hasRoom = ({ payments }: ModelState) => payments.length < 3
    return command('create', JSON.stringify(facts), hasRoom, async (state, { client, sandbox }) => {
      const { scenario, amount, isEstimate } = facts
      const key = `create-${numberOfEffects(state)}`
      const body = {
        paymentMethodToken: sandbox.tokens[scenario],
        orderId: `order-${state.payments.length}`,
        currencyCode: 'EUR',
        amount,
        ...(isEstimate && { paymentMethod: { authorizationType: 'ESTIMATED' } }),
      }
      const result = await client.payments.create(body, { idempotencyKey: key })
      const { id } = result
      assert.ok(state.payments.every((other) => other.id !== id))
      const payment = model.begin({ ...facts, id, createdAt: state.elapsed })
      state.payments.push(payment)
      state.ledger.push({ operation: 'payments.create', resourceId: id, amount, idempotencyKey: key })
      state.calls.push({
        payment: state.payments.length - 1,
        body,
        otherBody: { ...body, orderId: 'another' },
        send: (real, again) => real.client.payments.create(again as typeof body, { idempotencyKey: key }),
        result,
      })
      compare(result, payment)
      return true
    })
  })

/** Returns a generator of commands that send a request about a payment. */
function ask(name: keyof typeof requests): fc.Arbitrary<Command> {
  const { body, otherBody } = requests[name]
  const verdict = (payment: model.ModelPayment, body: object) => requests[name].verdict(payment, body as never)
  const send = ({ client }: Real, ...given: [id: string, body: object, options?: { idempotencyKey: string }]) =>
    (client.payments[name] as (...given: unknown[]) => PromiseLike<Payment>).apply(client.payments, given)
  return fc.record({ index, mode, body }).map(({ index, mode, body }) => {
    const check = when({ index, mode }, (payment) => verdict(payment, body) !== undefined)
    return command(name, `#${index} ${JSON.stringify(body)}`, check, async (state, real) => {
      const [payment, position] = pick(state, index)
      const options = otherBody ? { idempotencyKey: `${name}-${numberOfEffects(state)}` } : undefined
      const expected = verdict(payment, body)
      const result = await resultOf(send(real, payment.id, body, options))
      const isAllowed = expected !== undefined
      assert.equal(result !== undefined, isAllowed, `${name} should be ${isAllowed ? 'allowed' : 'rejected'}`)
      compare(result ?? (await real.client.payments.get(payment.id)), payment)
      if (!expected || !result) return false
      state.ledger.push({ operation: `payments.${name}`, resourceId: payment.id, ...expected, ...options })
      if (!otherBody) return true
      state.calls.push({
        payment: position,
        body,
        otherBody: otherBody(body),
        send: (later, again) => send(later, payment.id, again, options),
        result,
      })
      return true
    })
  })
}

/** Returns a generator of commands that trigger an event at the processor. */
function processorEvent(name: keyof typeof model.processorEvents): fc.Arbitrary<Command> {
  const verdict = model.processorEvents[name]
  return fc.record({ index, mode }).map((attempt) => {
    const check = when(attempt, (payment) => verdict(payment) !== undefined)
    return command(`processor: ${name}`, `#${attempt.index}`, check, async (state, { sandbox, client }) => {
      const [payment] = pick(state, attempt.index)
      const expected = verdict(payment)
      const act = () => {
        if (name === 'refundSettles') sandbox.processor.finishRefund(payment.id, 'SETTLED')
        else if (name === 'refundFails') sandbox.processor.finishRefund(payment.id, 'FAILED')
        else sandbox.processor[name](payment.id)
      }
      const effect = name.startsWith('refund') ? 'finishRefund' : name
      if (expected) {
        act()
        state.ledger.push({ operation: `processor.${effect}`, resourceId: payment.id, ...expected })
      } else assert.throws(act)
      compare(await client.payments.get(payment.id), payment)
      return expected !== undefined
    })
  })
}

/** Completes the customer's required action, which may then succeed or fail. */
const completeAction = fc.record({ index, mode }).map((attempt) => {
  const check = when(attempt, ({ awaitsCustomer }) => awaitsCustomer)
  return command('completeAction', `#${attempt.index}`, check, async (state, { sandbox }) => {
    const [payment] = pick(state, attempt.index)
    if (payment.awaitsCustomer) payment.resumeToken = sandbox.completeAction(payment.id)
    else assert.throws(() => sandbox.completeAction(payment.id))
    return payment.awaitsCustomer
  })
})

const resume = fc.record({ index, mode }).map((attempt) => {
  const check = when(attempt, ({ resumeToken }) => resumeToken !== undefined)
  return command('resume', `#${attempt.index} (${attempt.mode})`, check, async (state, { client }) => {
    const [payment] = pick(state, attempt.index)
    const resumeToken = (attempt.mode === 'allowed' && payment.resumeToken) || 'strange'
    const expected = model.resume(payment, { resumeToken })
    const result = await resultOf(client.payments.resume(payment.id, { resumeToken }))
    assert.equal(result !== undefined, expected !== undefined)
    if (expected) state.ledger.push({ operation: 'payments.resume', resourceId: payment.id })
    compare(result ?? (await client.payments.get(payment.id)), payment)
    return result !== undefined
  })
})

/** Repeats an earlier request with its idempotency key, and with the same body or a different one. */
const repeat = fc.record({ number: fc.nat(), isSame: fc.boolean() }).map(({ number, isSame }) => {
  const hasCalls = ({ calls }: ModelState) => calls.length > 0
  return command('repeat', `${number}${isSame ? '' : ', with another body'}`, hasCalls, async (state, real) => {
    const call = state.calls[number % state.calls.length] as ModelState['calls'][number]
    const isReplayed = isSame && state.settings.idempotency === 'replay'
    const result = await resultOf(call.send(real, isSame ? call.body : call.otherBody))
    if (isReplayed) assert.deepEqual(result, call.result)
    else assert.equal(result, undefined)
    assert.equal(real.sandbox.ledger.length, state.ledger.length)
    const payment = state.payments[call.payment] as model.ModelPayment
    compare(await real.client.payments.get(payment.id), payment)
    return isReplayed
  })
})

const search = { statuses: fc.subarray(statuses, { minLength: 1 }), limit: fc.integer({ min: 1, max: 3 }) }

/**
 * Lists payments by status. The list must contain each matching payment exactly once, except payments newer than
 * `listDelay`.
 */
const list = fc.record(search).map(({ statuses, limit }) =>
  command('list', `${statuses} by ${limit}`, always, async (state, { client }) => {
    const rows = await client.payments.list({ status: statuses, limit }).toArray({ limit: 100 })
    const isListed = (payment: model.ModelPayment) =>
      statuses.includes(payment.status) && payment.createdAt + state.settings.listDelay <= state.elapsed
    const expected = state.payments.filter(isListed).map(({ id, status }) => `${id} ${status}`)
    assert.deepEqual(rows.map(({ id, status }) => `${id} ${status}`).sort(), expected.sort())
    return true
  }),
)

const advance = fc.constantFrom(1_000, 60_000, 3_600_000).map((ms) =>
  command('advance', `${ms} ms`, always, async (state, { sandbox }) => {
    await sandbox.clock.advance(ms)
    state.elapsed += ms
    return true
  }),
)

/** Makes the webhook receiver reject a few deliveries. The service retries often enough to succeed later. */
const receiverFails = fc.integer({ min: 1, max: 3 }).map((times) =>
  command('receiverFails', `${times} times`, always, async (_, real) => {
    real.failures = times
    return true
  }),
)

const snapshot = command('snapshot', '', always, async (state, { sandbox }) => {
  remember(state, sandbox.snapshot())
  return true
})

const restore = fc.record({ number: fc.nat(), isElsewhere: fc.boolean() }).map(({ number, isElsewhere }) => {
  const hasMoments = ({ saved }: ModelState) => saved.length > 0
  return command('restore', `${number}${isElsewhere ? ' elsewhere' : ''}`, hasMoments, async (state, real) => {
    const moment = state.saved[number % state.saved.length] as ModelState['saved'][number]
    await goBack(state, real, moment, isElsewhere)
    return true
  })
})

/** A generator of random commands. At least one payment must exist before they run. */
export const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: creation },
  { weight: 6, arbitrary: ask('capture') },
  { weight: 6, arbitrary: ask('refund') },
  { weight: 2, arbitrary: ask('authorize') },
  { weight: 2, arbitrary: ask('adjustAuthorization') },
  { weight: 2, arbitrary: ask('cancel') },
  { weight: 3, arbitrary: processorEvent('authorize') },
  { weight: 3, arbitrary: processorEvent('settle') },
  { weight: 3, arbitrary: processorEvent('refundSettles') },
  { weight: 3, arbitrary: processorEvent('refundFails') },
  { weight: 1, arbitrary: processorEvent('decline') },
  { weight: 2, arbitrary: processorEvent('fail') },
  { weight: 3, arbitrary: completeAction },
  { weight: 3, arbitrary: resume },
  { weight: 3, arbitrary: repeat },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: advance },
  { weight: 1, arbitrary: receiverFails },
  { weight: 2, arbitrary: fc.constant(snapshot) },
  { weight: 1, arbitrary: restore },
)

/**
 * Creates a command. fast-check runs it if `check` returns true, and prints its kind and details on failure.
 *
 * @param run Returns whether the sandbox allowed the command.
 */
function command(
  kind: string,
  details: string,
  check: (state: ModelState) => boolean,
  run: (state: ModelState, real: Real) => Promise<boolean>,
): Command {
  return {
    check: (state) => check(state as ModelState),
    run: async (state, real) => real.count(kind, await run(state, real)),
    toString: () => `${kind} ${details}`,
  }
}

function always(): boolean {
  return true
}

/**
 * Returns a function that decides whether a command may run. To decide, the model changes only a copy of the payment.
 */
function when({ index, mode }: Attempt, isAllowed: (payment: model.ModelPayment) => boolean) {
  return (state: ModelState) => mode === 'anything' || isAllowed(structuredClone(pick(state, index)[0]))
}

function pick(state: ModelState, index: number): [payment: model.ModelPayment, position: number] {
  const position = index % state.payments.length
  return [state.payments[position] as model.ModelPayment, position]
}

/** Returns the number of effects so far, which makes idempotency keys unique within a sequence. */
function numberOfEffects({ ledger }: ModelState): number {
  return ledger.length
}
