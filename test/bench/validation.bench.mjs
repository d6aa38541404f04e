/**
 * Measures the cost of validating a payment and a page of 100 summaries, both with varying fields.
 *
 * The client reads the same responses with and without validation. The difference is the cost of validation. The result
 * is the cost of `JSON.parse` plus validation, divided by the cost of `JSON.parse`.
 */
import { contest, smallestEffort } from './measure/contest.mjs'
import { lowerQuartile } from './measure/statistics.mjs'

const steps = ['parse', 'unchecked', 'checked', 'schema']

export async function validation({ quick }) {
  const effort = quick ? smallestEffort : { rounds: 120, blockMs: 50 }
  const of = {}
  for (const what of ['payment', 'page']) {
    of[what] = ratios(
      await contest(
        steps.map((step) => contender(`${step} ${what}`)),
        effort,
      ),
      what,
    )
  }
  return of
}

/** Returns a contender. All contenders share a process, because the heaps of two processes differ. */
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
