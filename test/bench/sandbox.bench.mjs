/**
 * Measures the speed and the memory of the built sandbox with 100,000 payments.
 *
 * Uses the lower quartile of CPU time over short blocks, which other processes hardly change. Fails if a goal is missed.
 */
import { PaymentsClient } from '../../dist/index.js'
import { createSandbox } from '../../dist/sandbox.js'
import { lowerQuartile } from './measure/statistics.mjs'

if (!globalThis.gc) throw new Error('Memory can only be measured with `node --expose-gc`.')

const stored = 100_000
const blocks = 9

const sandbox = createSandbox({ seed: 1, now: new Date('2026-01-01T00:00:00Z') })
const client = new PaymentsClient(sandbox.clientOptions())
let failed = false

const heapBefore = await heapBytes()
const { ids, cpuUs } = await fill()
row('payments stored', stored)
row('storing one', cpuUs, 'µs')
row('memory for one', ((await heapBytes()) - heapBefore) / stored, 'bytes')

const someId = (turn) => ids[(turn * 7919) % stored]
const viaFetch = await cpuOf(2_000, (turn) => read(`/payments/${someId(turn)}`))
const viaClient = await cpuOf(1_000, (turn) => client.payments.get(someId(turn)))
row('payments.get, sandbox.fetch', 1e6 / viaFetch, 'requests/s', { atLeast: 5_000 })
row('payments.get, client', 1e6 / viaClient, 'requests/s')

const anyPage = await client.payments.list()
for (const [name, query] of Object.entries(searches())) {
  const us = await cpuOf(20, () => client.payments.list(query))
  row(`page of 100: ${name}`, us / 1000, 'ms', { below: 5 })
}
const { nextCursor } = await pageAfter(anyPage, 900)
row('page 902', (await cpuOf(20, () => client.payments.list({ cursor: nextCursor }))) / 1000, 'ms', { below: 5 })

const snapshot = sandbox.snapshot()
row('snapshot', (await cpuOf(1, () => sandbox.snapshot(), 3)) / 1000, 'ms')
row('restore', (await cpuOf(1, () => sandbox.restore(snapshot), 3)) / 1000, 'ms')
if (failed) process.exitCode = 1

/** Creates payments of several kinds, 100 per second of the sandbox's clock. */
async function fill() {
  const { card, slowSettlement, pending, declined, paypal, klarna } = sandbox.tokens
  const kinds = [card, card, slowSettlement, pending, declined, paypal, klarna]
  const ids = []
  const before = process.cpuUsage()
  for (let index = 0; index < stored; index++) {
    const payment = await read('/payments', {
      paymentMethodToken: kinds[index % kinds.length],
      orderId: `order-${index}`,
      currencyCode: index % 3 ? 'EUR' : 'USD',
      amount: 1_000 + (index % 5_000),
      customerId: `customer-${index % 1_000}`,
      customer: { emailAddress: `customer-${index % 1_000}@example.com` },
      metadata: { basket: index },
    })
    ids.push(payment.id)
    if (index % 100 === 0) await sandbox.clock.advance('1000s')
  }
  return { ids, cpuUs: cpuUsSince(before) / stored }
}

/** Every single filter of the list, filters without a match, and the most expensive combinations. */
function searches() {
  return {
    everything: {},
    status: { status: ['PENDING', 'DECLINED'] },
    paymentMethodType: { paymentMethodType: 'PAYPAL' },
    processor: { processor: 'SANDBOX' },
    currencyCode: { currencyCode: 'USD' },
    'fromDate and toDate': { fromDate: new Date('2026-01-05T00:00:00Z'), toDate: new Date('2026-01-06T00:00:00Z') },
    orderId: { orderId: `order-${stored - 1}` },
    'minAmount and maxAmount': { minAmount: 5_998, maxAmount: 5_999 },
    customerId: { customerId: 'customer-999' },
    merchantId: { merchantId: 'sandbox-merchant' },
    customerEmailAddress: { customerEmailAddress: 'customer-999@example.com' },
    last4Digits: { last4Digits: '0002' },
    partneraEmail: { partneraEmail: 'wallet@example.com' },
    partnerbEmail: { partnerbEmail: 'later@example.com' },
    'two statuses without payments': { status: ['SETTLED', 'CANCELLED'] },
    'an order that nobody made': { orderId: 'none' },
    'all of one customer, none of that amount': { customerId: 'customer-7', minAmount: 900_000 },
    'two statuses of a currency, none of that amount': {
      status: ['PENDING', 'DECLINED'],
      currencyCode: 'USD',
      minAmount: 900_000,
    },
  }
}

async function pageAfter(page, turns) {
  let current = page
  for (let turn = 0; turn < turns; turn++) current = await current.nextPage()
  return current
}

async function read(path, body) {
  const response = await sandbox.fetch(
    new Request(sandbox.baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    }),
  )
  if (!response.ok) throw new Error(`${path} failed with status ${response.status}`)
  return response.json()
}

/** Returns the microseconds of CPU for one call. */
async function cpuOf(calls, call, rounds = blocks) {
  const costs = []
  let turn = 0
  // The first block warms up.
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage()
    for (let made = 0; made < calls; made++) await call(turn++)
    if (round > 0) costs.push(cpuUsSince(before) / calls)
  }
  return lowerQuartile(costs)
}

function cpuUsSince(before) {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function heapBytes() {
  // One collection finalizes objects, and the next one frees them.
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}

function row(name, value, unit = '', { atLeast, below } = {}) {
  const goal = atLeast !== undefined ? `≥ ${atLeast}` : below !== undefined ? `< ${below}` : ''
  const missed = value < (atLeast ?? Number.NEGATIVE_INFINITY) || value >= (below ?? Number.POSITIVE_INFINITY)
  if (missed) failed = true
  const figure = value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 })
  console.log(`${name.padEnd(60)} ${figure.padStart(9)} ${unit.padEnd(10)} ${goal} ${missed ? 'MISSED' : ''}`.trimEnd())
}
