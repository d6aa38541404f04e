/**
 * Measures the cost of validating a payment and a page of 100 summaries, both with varying fields.
 *
 * The client reads the same responses with and without validation. The difference is the cost of validation. The result
 * is the cost of `JSON.parse` plus validation, divided by the cost of `JSON.parse`. It is the median of several
 * processes, because V8 optimizes the code differently in each process.
 */
import { contest, smallestEffort } from './measure/contest.mjs'
import { lowerQuartile, median } from './measure/statistics.mjs'

const steps = ['parse', 'unchecked', 'checked', 'schema']

export async function validation({ quick }) {
  const effort = quick ? smallestEffort : { rounds: 24, blockMs: 50 }
  const of = {}
  for (const what of ['payment', 'page']) {
    const contenders = steps.map((step) => contender(`${step} ${what}`))
    const runs = []
    for (let run = 0; run < (quick ? 1 : 5); run++) runs.push(ratios(await contest(contenders, effort), what))
    of[what] = { client: median(runs.map(({ client }) => client)), schema: median(runs.map(({ schema }) => schema)) }
  }
  return of
}

/** Returns a contender. All contenders run in one process, because the heaps of two processes would differ. */
function contender(operation) {
  return {
    name: operation,
    group: 'validation',
    module: new URL('contenders/validation.mjs', import.meta.url),
    operation,
  }
}

function ratios(costs, what) {
  const [parse, unchecked, checked, schema] = steps.map((step) => lowerQuartile(costs[`${step} ${what}`].cpuUs))
  return { client: (parse + checked - unchecked) / parse, schema: schema / parse }
}
