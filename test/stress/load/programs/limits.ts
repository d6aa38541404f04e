/**
 * Makes many calls with a deadline or an abort signal to a service that never responds.
 *
 * Other calls, which succeed, keep the client busy. Prints the goals for how late the calls end, compared with a plain
 * timer under the same load.
 */
import { AbortedError, PaymentsClient, TimeoutError } from 'payments-client'
import { inDigits, printGoals } from '../goals.js'
import { startService } from '../service.js'

const count = Number(process.argv[2])
const service = await startService()
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: service.url, maxRetries: 0 })

const load = keepBusy(20)
// Makes calls before the measurement, so that the measurement does not include compilation.
await measured(outlivesDeadline, 200)
const [overshoot, timer] = await Promise.all([measured(outlivesDeadline, count), measured(isLate, count)])
const abort = await measured(outlivesSignal, count)
const answered = await load.end()
service.stop()
printGoals([
  {
    what: `${inDigits(count)} calls with a deadline, under load: end at most 100 ms (p99) later than a plain timer`,
    measured: `${inWords(overshoot)} after the deadline; a plain timer: ${inWords(timer)}; ${inDigits(answered)} other calls succeeded`,
    // Subtracts the delay of a plain timer, because all timers are late on a busy machine.
    met: overshoot.p99Ms - Math.max(0, timer.p99Ms) <= 100,
  },
  {
    what: `${inDigits(count)} aborted calls, under load: end within 50 ms (p99)`,
    measured: inWords(abort),
    met: abort.p99Ms <= 50,
  },
])

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
  return { medianMs: Number(sorted[Math.floor(times * 0.5)]), p99Ms: Number(sorted[Math.floor(times * 0.99)]) }
}

function inWords({ medianMs, p99Ms }: { medianMs: number; p99Ms: number }): string {
  return `median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
}

async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => new Error('The call succeeded'),
    (error: unknown) => error,
  )
}
