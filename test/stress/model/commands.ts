import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as lives from './life.js'
import { requests } from './requests.js'
import { answerTo, compare, goBack, type Real, remember, type World } from './world.js'

type Command = fc.AsyncCommand<World, Real>

/** How often each kind of command was allowed and rejected. */
export type Tally = Map<string, { allowed: number; refused: number }>

/** Returns all kinds of commands, weighted by usefulness. They run after the first payment was created. */
export function commands(tally: Tally): fc.Arbitrary<Command>[] {
  const weighted: [weight: number, fc.Arbitrary<Command>][] = [
    [3, creation(tally)],
    [6, asked(tally, 'capture')],
    [6, asked(tally, 'refund')],
    [2, asked(tally, 'authorize')],
    [2, asked(tally, 'adjustAuthorization')],
    [2, asked(tally, 'cancel')],
    [3, happening(tally, 'authorize')],
    [3, happening(tally, 'settle')],
    [3, happening(tally, 'refundSettles')],
    [3, happening(tally, 'refundFails')],
    [1, happening(tally, 'decline')],
    [2, happening(tally, 'fail')],
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

/** The index of the payment. */
const index = fc.nat({ max: 2 })
/** Whether to try only what the model allows. Without a preference, most commands would be rejected. */
const mode = fc.constantFrom<'allowed' | 'anything'>('allowed', 'anything')
const scenarioNames = Object.keys(lives.behaviours) as lives.ScenarioName[]
/** The scenarios with the most possible transitions. */
const eventful: lives.ScenarioName[] = [
  'slowSettlement',
  'slowSettlement',
  'klarna',
  'requires3ds',
  'pending',
  'estimated',
]
const statuses: lives.Status[] = ['PENDING', 'AUTHORIZED', 'SETTLING', 'SETTLED', 'DECLINED', 'FAILED', 'CANCELLED']

const search = fc.record({ statuses: fc.subarray(statuses, { minLength: 1 }), limit: fc.integer({ min: 1, max: 3 }) })

interface Attempt {
  index: number
  mode: 'allowed' | 'anything'
}

interface PaymentFacts {
  scenario: lives.ScenarioName
  amount: number
  isEstimate: boolean
}

export function creation(tally: Tally): fc.Arbitrary<Command> {
  const scenario = fc.constantFrom(...scenarioNames, ...eventful)
  const facts = { scenario, amount: fc.constantFrom(100, 100, 100, 0), isEstimate: fc.boolean() }
  return fc.record(facts).map((given) => create(tally, given))
}

function create(tally: Tally, facts: PaymentFacts): Command {
  const hasRoom = ({ lives }: World) => lives.length < 3
  return command(`create ${show(facts)}`, hasRoom, async (world, { client, sandbox }) => {
    const key = `create-${numberOfEffects(world)}`
    const body = {
      paymentMethodToken: sandbox.tokens[facts.scenario],
      orderId: `order-${world.lives.length}`,
      currencyCode: 'EUR',
      amount: facts.amount,
      ...(facts.isEstimate && { paymentMethod: { authorizationType: 'ESTIMATED' } }),
    }
    const answer = await client.payments.create(body, { idempotencyKey: key })
    const { id } = answer
    assert.ok(world.lives.every((other) => other.id !== id))
    const life = lives.begin({ ...facts, id, createdAt: world.elapsed })
    world.lives.push(life)
    world.ledger.push({ operation: 'payments.create', resourceId: id, amount: facts.amount, idempotencyKey: key })
    world.calls.push({
      life: world.lives.length - 1,
      body,
      otherBody: { ...body, orderId: 'another' },
      send: (real, again) => real.client.payments.create(again as typeof body, { idempotencyKey: key }),
      answer,
    })
    count(tally, 'create', true)
    compare(answer, life)
  })
}

function asked(tally: Tally, name: keyof typeof requests): fc.Arbitrary<Command> {
  const { body } = requests[name]
  return fc.record({ index, mode, body }).map((given) => ask(tally, name, given))
}

function ask(tally: Tally, name: keyof typeof requests, { index, mode, body }: Attempt & { body: object }): Command {
  const { verdict, send, otherBody, isKeyed } = requests[name]
  const check = wherever(index, mode, (life) => verdict(life, body) !== undefined)
  return command(`${name} #${index} ${show(body)}`, check, async (world, real) => {
    const [life, position] = pick(world, index)
    const options = isKeyed ? { idempotencyKey: `${name}-${numberOfEffects(world)}` } : undefined
    const expected = verdict(life, body)
    const answer = await answerTo(send(real, life.id, body, options))
    assert.equal(answer !== undefined, expected !== undefined, `${name} should be ${expected ? 'allowed' : 'refused'}`)
    compare(answer ?? (await real.client.payments.get(life.id)), life)
    count(tally, name, answer !== undefined)
    if (!expected || !answer) return
    world.ledger.push({ operation: `payments.${name}`, resourceId: life.id, ...expected, ...options })
    if (!isKeyed) return
    world.calls.push({
      life: position,
      body,
      otherBody: otherBody(body),
      send: (later, again) => send(later, life.id, again, options),
      answer,
    })
  })
}

type Happening = keyof typeof lives.happenings

function happening(tally: Tally, name: Happening): fc.Arbitrary<Command> {
  return fc.record({ index, mode }).map((given) => happen(tally, name, given))
}

/** An event at the processor. */
function happen(tally: Tally, name: Happening, { index, mode }: Attempt): Command {
  const verdict = lives.happenings[name]
  const check = wherever(index, mode, (life) => verdict(life) !== undefined)
  return command(`processor: ${name} #${index}`, check, async (world, { sandbox, client }) => {
    const [life] = pick(world, index)
    const expected = verdict(life)
    const act = () => {
      if (name === 'refundSettles') sandbox.processor.finishRefund(life.id, 'SETTLED')
      else if (name === 'refundFails') sandbox.processor.finishRefund(life.id, 'FAILED')
      else sandbox.processor[name](life.id)
    }
    const effect = name.startsWith('refund') ? 'finishRefund' : name
    if (expected) {
      act()
      world.ledger.push({ operation: `processor.${effect}`, resourceId: life.id, ...expected })
    } else assert.throws(act)
    count(tally, `processor: ${name}`, expected !== undefined)
    compare(await client.payments.get(life.id), life)
  })
}

/** The customer completes the required action, with success or failure. */
function completeAction(tally: Tally, { index, mode }: Attempt): Command {
  const check = wherever(index, mode, ({ awaitsCustomer }) => awaitsCustomer)
  return command(`completeAction #${index}`, check, async (world, { sandbox }) => {
    const [life] = pick(world, index)
    if (life.awaitsCustomer) life.resumeToken = sandbox.completeAction(life.id)
    else assert.throws(() => sandbox.completeAction(life.id))
    count(tally, 'completeAction', life.awaitsCustomer)
  })
}

function resume(tally: Tally, { index, mode }: Attempt): Command {
  const check = wherever(index, mode, ({ resumeToken }) => resumeToken !== undefined)
  return command(`resume #${index} (${mode})`, check, async (world, { client }) => {
    const [life] = pick(world, index)
    const resumeToken = (mode === 'allowed' && life.resumeToken) || 'strange'
    const expected = lives.resume(life, { resumeToken })
    const answer = await answerTo(client.payments.resume(life.id, { resumeToken }))
    assert.equal(answer !== undefined, expected !== undefined)
    if (expected) world.ledger.push({ operation: 'payments.resume', resourceId: life.id })
    count(tally, 'resume', answer !== undefined)
    compare(answer ?? (await client.payments.get(life.id)), life)
  })
}

/** A request is sent again with its key, with the same or another body. */
function repeat(tally: Tally, { number, isSame }: { number: number; isSame: boolean }): Command {
  const hasCalls = ({ calls }: World) => calls.length > 0
  return command(`repeat ${number}${isSame ? '' : ', with another body'}`, hasCalls, async (world, real) => {
    const call = world.calls[number % world.calls.length] as World['calls'][number]
    const isReplayed = isSame && world.settings.idempotency === 'replay'
    const answer = await answerTo(call.send(real, isSame ? call.body : call.otherBody))
    if (isReplayed) assert.deepEqual(answer, call.answer)
    else assert.equal(answer, undefined)
    assert.equal(real.sandbox.ledger.length, world.ledger.length)
    const life = world.lives[call.life] as lives.Life
    compare(await real.client.payments.get(life.id), life)
    count(tally, 'repeat', isReplayed)
  })
}

/** The list contains each payment with one of these statuses once, if it is old enough. */
function list(tally: Tally, { statuses, limit }: { statuses: lives.Status[]; limit: number }): Command {
  return command(`list ${statuses} by ${limit}`, always, async (world, { client }) => {
    const rows = await client.payments.list({ status: statuses, limit }).toArray({ limit: 100 })
    const isListed = (life: lives.Life) =>
      statuses.includes(life.status) && life.createdAt + world.settings.listDelay <= world.elapsed
    const expected = world.lives.filter(isListed).map(({ id, status }) => `${id} ${status}`)
    assert.deepEqual(rows.map(({ id, status }) => `${id} ${status}`).sort(), expected.sort())
    count(tally, 'list', true)
  })
}

function advance(tally: Tally, ms: number): Command {
  return command(`advance ${ms} ms`, always, async (world, { sandbox }) => {
    await sandbox.clock.advance(ms)
    world.elapsed += ms
    count(tally, 'advance', true)
  })
}

/** The webhook receiver fails for the next deliveries, fewer than the attempts. */
function receiverFails(tally: Tally, times: number): Command {
  return command(`the receiver fails ${times} times`, always, async (_, real) => {
    real.failures = times
    count(tally, 'receiverFails', true)
  })
}

function snapshot(tally: Tally): Command {
  return command('snapshot', always, async (world, { sandbox }) => {
    remember(world, sandbox.snapshot())
    count(tally, 'snapshot', true)
  })
}

function restore(tally: Tally, { number, isElsewhere }: { number: number; isElsewhere: boolean }): Command {
  const hasMoments = ({ moments }: World) => moments.length > 0
  return command(`restore ${number}${isElsewhere ? ' elsewhere' : ''}`, hasMoments, async (world, real) => {
    const moment = world.moments[number % world.moments.length] as World['moments'][number]
    await goBack(world, real, moment, isElsewhere)
    count(tally, 'restore', true)
  })
}

/** fast-check calls `check` before it runs a command, and prints these names. */
function command(name: string, check: (world: World) => boolean, run: Command['run']): Command {
  return { check: (world) => check(world as World), run, toString: () => name }
}

function always(): boolean {
  return true
}

/** Returns whether to try a move on a payment. Asks the model on a copy, because a move changes it. */
function wherever(index: number, mode: Attempt['mode'], isAllowed: (life: lives.Life) => boolean) {
  return (world: World) => mode === 'anything' || isAllowed(structuredClone(pick(world, index)[0]))
}

function pick(world: World, index: number): [life: lives.Life, position: number] {
  const position = index % world.lives.length
  return [world.lives[position] as lives.Life, position]
}

/** Returns a number for the next idempotency key, so that keys are unique in one history. */
function numberOfEffects({ ledger }: World): number {
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
