/**
 * Makes many calls with a deadline or an abort signal to a service that never responds.
 *
 * Other calls, which succeed, keep the client busy. Prints how late the calls end, and how late a plain timer fires
 * under the same load.
 */
import { AbortedError, PaymentsClient, TimeoutError } from 'payments-client'
import { startService } from '../service.js'

const [, , count = '1000'] = process.argv
const service = await startService()
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url, maxRetries: 0 })

const load = keepBusy(20)
// Makes calls before the measurement, so that the measurement does not include compilation.
await measured(outlivesDeadline, 200)
const [overshoot, timer] = await Promise.all([
  measured(outlivesDeadline, Number(count)),
  measured(isLate, Number(count)),
])
const abort = await measured(outlivesSignal, Number(count))
console.log(JSON.stringify({ answered: await load.end(), overshoot, abort, timer }))
service.stop()

/** Makes several concurrent series of calls until `end` is called. `end` returns the number of calls. */
function keepBusy(lanes: number) {
  const { payments } = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url, maxRetries: 0 })
  let ended = false
  let answered = 0
  const running = Array.from({ length: lanes }, async () => {
    for (; !ended; answered++) await payments.get('responds slowly')
  })
  return {
    async end(): Promise<number> {
      ended = true
      await Promise.all(running)
      return answered
    },
  }
}

/** Returns the number of milliseconds from a call's deadline to its end. */
async function outlivesDeadline(limitMs: number): Promise<number> {
  const startedAt = performance.now()
  const error = await failureOf(client.payments.get('never responds', { totalTimeout: limitMs }))
  const tookMs = performance.now() - startedAt
  if (!(error instanceof TimeoutError)) throw error
  return tookMs - limitMs
}

/** Returns the number of milliseconds from a call's abort to its end. */
async function outlivesSignal(afterMs: number): Promise<number> {
  const leaving = new AbortController()
  let leftAt = 0
  setTimeout(() => {
    leftAt = performance.now()
    leaving.abort()
  }, afterMs)
  const error = await failureOf(client.payments.get('never responds', { signal: leaving.signal }))
  const endedAt = performance.now()
  if (!(error instanceof AbortedError)) throw error
  return endedAt - leftAt
}

async function isLate(afterMs: number): Promise<number> {
  const startedAt = performance.now()
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  return performance.now() - startedAt - afterMs
}

/** Runs `work` concurrently with durations from 0.5 to 4.5 seconds, and returns the median and p99 of its results. */
async function measured(work: (ms: number) => Promise<number>, times: number) {
  const results = await Promise.all(
    Array.from({ length: times }, (_, index) => work(500 + Math.floor((4_000 * index) / times))),
  )
  const sorted = results.toSorted((one, other) => one - other)
  return { medianMs: sorted[Math.floor(times * 0.5)], p99Ms: sorted[Math.floor(times * 0.99)] }
}

async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('The call succeeded'),
    (error: unknown) => error,
  )
}
