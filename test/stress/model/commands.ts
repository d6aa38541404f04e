import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as model from './payment-model.js'
import { requests } from './requests.js'
import { compare, goBack, type ModelState, type Real, remember, resultOf } from './state.js'

type Command = fc.AsyncCommand<ModelState, Real>

/** The number of times that the model allowed and rejected each kind of command. */
export type Tally = Map<string, { allowed: number; refused: number }>

/** Returns a generator of random commands. At least one payment must exist before they run. */
export function commands(tally: Tally): fc.Arbitrary<Command>[] {
  const weighted: [weight: number, fc.Arbitrary<Command>][] = [
    [3, creation(tally)],
    [6, asked(tally, 'capture')],
    [6, asked(tally, 'refund')],
    [2, asked(tally, 'authorize')],
    [2, asked(tally, 'adjustAuthorization')],
    [2, asked(tally, 'cancel')],
    [3, processorEvent(tally, 'authorize')],
    [3, processorEvent(tally, 'settle')],
    [3, processorEvent(tally, 'refundSettles')],
    [3, processorEvent(tally, 'refundFails')],
    [1, processorEvent(tally, 'decline')],
    [2, processorEvent(tally, 'fail')],
    [3, fc.record({ index, mode }).map((given) => completeAction(tally, given))],
    [3, fc.record({ index, mode }).map((given) => resume(tally, given))],
    [3, fc.record({ number: fc.nat(), isSame: fc.boolean() }).map((given) => repeat(tally, given))],
    [2, search.map((given) => list(tally, given))],
    [1, fc.constantFrom(1_000, 60_000, 3_600_000).map((ms) => advance(tally, ms))],
    [1, fc.integer({ min: 1, max: 3 }).map((times) => receiverFails(tally, times))],
    [2, fc.constant(snapshot(tally))],
    [1, fc.record({ number: fc.nat(), isElsewhere: fc.boolean() }).map((given) => restore(tally, given))],
  ]
  return [fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))]
}

/** The index of the payment that a command uses. */
const index = fc.nat({ max: 2 })
/**
 * `allowed`: runs the command only if the model allows it. `anything`: always runs it, and the sandbox may reject it.
 */
const mode = fc.constantFrom<'allowed' | 'anything'>('allowed', 'anything')
const scenarioNames = Object.keys(model.behaviours) as model.ScenarioName[]
/** The scenarios with the most transitions. */
const eventful: model.ScenarioName[] = [
  'slowSettlement',
  'slowSettlement',
  'klarna',
  'requires3ds',
  'pending',
  'estimated',
]
const statuses: model.Status[] = ['PENDING', 'AUTHORIZED', 'SETTLING', 'SETTLED', 'DECLINED', 'FAILED', 'CANCELLED']

const search = fc.record({ statuses: fc.subarray(statuses, { minLength: 1 }), limit: fc.integer({ min: 1, max: 3 }) })

interface Attempt {
  index: number
  mode: 'allowed' | 'anything'
}

interface PaymentFacts {
  scenario: model.ScenarioName
  amount: number
  isEstimate: boolean
}

export function creation(tally: Tally): fc.Arbitrary<Command> {
  const scenario = fc.constantFrom(...scenarioNames, ...eventful)
  const facts = { scenario, amount: fc.constantFrom(100, 100, 100, 0), isEstimate: fc.boolean() }
  return fc.record(facts).map((given) => create(tally, given))
}

function create(tally: Tally, facts: PaymentFacts): Command {
  const hasRoom = ({ payments }: ModelState) => payments.length < 3
  return command(`create ${show(facts)}`, hasRoom, async (state, { client, sandbox }) => {
    const key = `create-${numberOfEffects(state)}`
    const body = {
      paymentMethodToken: sandbox.tokens[facts.scenario],
      orderId: `order-${state.payments.length}`,
      currencyCode: 'EUR',
      amount: facts.amount,
      ...(facts.isEstimate && { paymentMethod: { authorizationType: 'ESTIMATED' } }),
    }
    const answer = await client.payments.create(body, { idempotencyKey: key })
    const { id } = answer
    assert.ok(state.payments.every((other) => other.id !== id))
    const payment = model.begin({ ...facts, id, createdAt: state.elapsed })
    state.payments.push(payment)
    state.ledger.push({ operation: 'payments.create', resourceId: id, amount: facts.amount, idempotencyKey: key })
    state.calls.push({
      payment: state.payments.length - 1,
      body,
      otherBody: { ...body, orderId: 'another' },
      send: (real, again) => real.client.payments.create(again as typeof body, { idempotencyKey: key }),
      answer,
    })
    count(tally, 'create', true)
    compare(answer, payment)
  })
}

function asked(tally: Tally, name: keyof typeof requests): fc.Arbitrary<Command> {
  const { body } = requests[name]
  return fc.record({ index, mode, body }).map((given) => ask(tally, name, given))
}

function ask(tally: Tally, name: keyof typeof requests, { index, mode, body }: Attempt & { body: object }): Command {
  const { verdict, send, otherBody, isKeyed } = requests[name]
  const check = when(index, mode, (payment) => verdict(payment, body) !== undefined)
  return command(`${name} #${index} ${show(body)}`, check, async (state, real) => {
    const [payment, position] = pick(state, index)
    const options = isKeyed ? { idempotencyKey: `${name}-${numberOfEffects(state)}` } : undefined
    const expected = verdict(payment, body)
    const answer = await resultOf(send(real, payment.id, body, options))
    assert.equal(answer !== undefined, expected !== undefined, `${name} should be ${expected ? 'allowed' : 'rejected'}`)
    compare(answer ?? (await real.client.payments.get(payment.id)), payment)
    count(tally, name, answer !== undefined)
    if (!expected || !answer) return
    state.ledger.push({ operation: `payments.${name}`, resourceId: payment.id, ...expected, ...options })
    if (!isKeyed) return
    state.calls.push({
      payment: position,
      body,
      otherBody: otherBody(body),
      send: (later, again) => send(later, payment.id, again, options),
      answer,
    })
  })
}

type ProcessorEvent = keyof typeof model.processorEvents

function processorEvent(tally: Tally, name: ProcessorEvent): fc.Arbitrary<Command> {
  return fc.record({ index, mode }).map((given) => happen(tally, name, given))
}

/** Creates a command that triggers an event at the processor. */
function happen(tally: Tally, name: ProcessorEvent, { index, mode }: Attempt): Command {
  const verdict = model.processorEvents[name]
  const check = when(index, mode, (payment) => verdict(payment) !== undefined)
  return command(`processor: ${name} #${index}`, check, async (state, { sandbox, client }) => {
    const [payment] = pick(state, index)
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
    count(tally, `processor: ${name}`, expected !== undefined)
    compare(await client.payments.get(payment.id), payment)
  })
}

/** Completes the customer's required action, which may then succeed or fail. */
function completeAction(tally: Tally, { index, mode }: Attempt): Command {
  const check = when(index, mode, ({ awaitsCustomer }) => awaitsCustomer)
  return command(`completeAction #${index}`, check, async (state, { sandbox }) => {
    const [payment] = pick(state, index)
    if (payment.awaitsCustomer) payment.resumeToken = sandbox.completeAction(payment.id)
    else assert.throws(() => sandbox.completeAction(payment.id))
    count(tally, 'completeAction', payment.awaitsCustomer)
  })
}

function resume(tally: Tally, { index, mode }: Attempt): Command {
  const check = when(index, mode, ({ resumeToken }) => resumeToken !== undefined)
  return command(`resume #${index} (${mode})`, check, async (state, { client }) => {
    const [payment] = pick(state, index)
    const resumeToken = (mode === 'allowed' && payment.resumeToken) || 'strange'
    const expected = model.resume(payment, { resumeToken })
    const answer = await resultOf(client.payments.resume(payment.id, { resumeToken }))
    assert.equal(answer !== undefined, expected !== undefined)
    if (expected) state.ledger.push({ operation: 'payments.resume', resourceId: payment.id })
    count(tally, 'resume', answer !== undefined)
    compare(answer ?? (await client.payments.get(payment.id)), payment)
  })
}

/** Repeats an earlier request with its idempotency key, and with the same body or a different one. */
function repeat(tally: Tally, { number, isSame }: { number: number; isSame: boolean }): Command {
  const hasCalls = ({ calls }: ModelState) => calls.length > 0
  return command(`repeat ${number}${isSame ? '' : ', with another body'}`, hasCalls, async (state, real) => {
    const call = state.calls[number % state.calls.length] as ModelState['calls'][number]
    const isReplayed = isSame && state.settings.idempotency === 'replay'
    const answer = await resultOf(call.send(real, isSame ? call.body : call.otherBody))
    if (isReplayed) assert.deepEqual(answer, call.answer)
    else assert.equal(answer, undefined)
    assert.equal(real.sandbox.ledger.length, state.ledger.length)
    const payment = state.payments[call.payment] as model.ModelPayment
    compare(await real.client.payments.get(payment.id), payment)
    count(tally, 'repeat', isReplayed)
  })
}

/**
 * Lists payments by status. The list must contain each matching payment exactly once, except payments newer than
 * `listDelay`.
 */
function list(tally: Tally, { statuses, limit }: { statuses: model.Status[]; limit: number }): Command {
  return command(`list ${statuses} by ${limit}`, always, async (state, { client }) => {
    const rows = await client.payments.list({ status: statuses, limit }).toArray({ limit: 100 })
    const isListed = (payment: model.ModelPayment) =>
      statuses.includes(payment.status) && payment.createdAt + state.settings.listDelay <= state.elapsed
    const expected = state.payments.filter(isListed).map(({ id, status }) => `${id} ${status}`)
    assert.deepEqual(rows.map(({ id, status }) => `${id} ${status}`).sort(), expected.sort())
    count(tally, 'list', true)
  })
}

function advance(tally: Tally, ms: number): Command {
  return command(`advance ${ms} ms`, always, async (state, { sandbox }) => {
    await sandbox.clock.advance(ms)
    state.elapsed += ms
    count(tally, 'advance', true)
  })
}

/** Makes the webhook receiver reject a few deliveries. The service retries often enough to succeed later. */
function receiverFails(tally: Tally, times: number): Command {
  return command(`the receiver fails ${times} times`, always, async (_, real) => {
    real.failures = times
    count(tally, 'receiverFails', true)
  })
}

function snapshot(tally: Tally): Command {
  return command('snapshot', always, async (state, { sandbox }) => {
    remember(state, sandbox.snapshot())
    count(tally, 'snapshot', true)
  })
}

function restore(tally: Tally, { number, isElsewhere }: { number: number; isElsewhere: boolean }): Command {
  const hasMoments = ({ saved }: ModelState) => saved.length > 0
  return command(`restore ${number}${isElsewhere ? ' elsewhere' : ''}`, hasMoments, async (state, real) => {
    const moment = state.saved[number % state.saved.length] as ModelState['saved'][number]
    await goBack(state, real, moment, isElsewhere)
    count(tally, 'restore', true)
  })
}

/** Creates a command. fast-check runs it if `check` returns true, and prints its name on failure. */
function command(name: string, check: (state: ModelState) => boolean, run: Command['run']): Command {
  return { check: (state) => check(state as ModelState), run, toString: () => name }
}

function always(): boolean {
  return true
}

/**
 * Returns a function that decides whether a command may run. To decide, the model changes only a copy of the payment.
 */
function when(index: number, mode: Attempt['mode'], isAllowed: (payment: model.ModelPayment) => boolean) {
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

function count(tally: Tally, name: string, isAllowed: boolean): void {
  const counts = tally.get(name) ?? { allowed: 0, refused: 0 }
  counts[isAllowed ? 'allowed' : 'refused'] += 1
  tally.set(name, counts)
}

function show(value: object): string {
  return JSON.stringify(value)
}
