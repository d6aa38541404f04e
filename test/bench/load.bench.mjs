/**
 * Runs a webhook receiver with PostgreSQL and a client under load, each for a minute and in its own process.
 *
 * Measures throughput, latency and memory, and counts lost and repeated effects.
 */
import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { installServers, startPostgres } from '../stores/servers.ts'
import { bodies, key } from './fixtures/deliveries.mjs'
import { quantile } from './measure/statistics.mjs'

const concurrentDeliveries = 200
const concurrentCalls = 1_000
const payments = 10_000

export async function load({ quick }) {
  const seconds = quick ? 2 : 60
  return { receiver: await loadReceiver(seconds), client: await loadClient(seconds) }
}

/** Sends each webhook until it is handled, and every tenth webhook twice. Each handled webhook inserts a row. */
async function loadReceiver(seconds) {
  await installServers()
  const database = await startPostgres()
  const receiver = start('receiver.mjs', { url: database.url })
  try {
    const [{ port }] = await once(receiver, 'message')
    const agent = new Agent({ keepAlive: true })
    const latencies = []
    let created = 0
    let retries = 0
    const deliver = async (event) => {
      while ((await post(agent, port, event)) !== 200) {
        retries++
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    const ms = await inLanes(concurrentDeliveries, seconds, async () => {
      const index = created++
      const event = signedEvent(index)
      const startedAt = performance.now()
      await deliver(event)
      latencies.push(performance.now() - startedAt)
      if (index % 10 === 0) await deliver(event)
    })
    const { rows, distinct, rssMb } = await ask(receiver)
    return { ...summary(latencies, ms, rssMb), retries, lost: created - distinct, twice: rows - distinct }
  } finally {
    receiver.kill()
    await database.stop()
  }
}

/** Creates payments. The service counts the requests with each idempotency key. */
async function loadClient(seconds) {
  const service = start('service.mjs')
  const [{ port }] = await once(service, 'message')
  const client = start('client.mjs', { port, seconds, concurrentCalls })
  try {
    const [{ latencies, ms, rssMb, failed }] = await once(client, 'message')
    const { requests, distinct } = await ask(service)
    const retries = requests - distinct
    return { ...summary(latencies, ms, rssMb), retries, lost: latencies.length + failed - distinct, twice: retries }
  } finally {
    for (const child of [client, service]) child.kill()
  }
}

/** Runs `work` several times concurrently, and returns the milliseconds until all runs have ended. */
async function inLanes(count, seconds, work) {
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const lane = async () => {
    while (performance.now() < endsAt) await work()
  }
  await Promise.all(Array.from({ length: count }, lane))
  return performance.now() - startedAt
}

function summary(latencies, ms, rssMb) {
  const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => quantile(latencies, share))
  const [early, middle, end] = [0.2, 0.6, 1].map((share) => rssMb[Math.ceil(rssMb.length * share) - 1])
  return {
    total: latencies.length,
    perSecond: (latencies.length * 1000) / ms,
    p50Ms,
    p99Ms,
    rssMb: [early, middle, end],
  }
}

const sample = JSON.parse(bodies[0])

function signedEvent(index) {
  const payment = { ...sample.payment, id: `pay_${index % payments}`, orderId: String(index) }
  const body = JSON.stringify({ ...sample, payment })
  const signature = createHmac('sha256', key).update(body).digest('base64')
  return { body, headers: { 'content-type': 'application/json', 'x-signature-primary': signature } }
}

function post(agent, port, { body, headers }) {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function start(program, options = {}) {
  const file = fileURLToPath(new URL(`load/${program}`, import.meta.url))
  return fork(file, [JSON.stringify(options)], { serialization: 'advanced' })
}

async function ask(child) {
  child.send('report')
  const [report] = await once(child, 'message')
  return report
}
