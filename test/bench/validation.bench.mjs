/**
 * What checking an answer adds to parsing it, for one payment and for a page of 100 summaries, hardly two alike.
 *
 * The client is asked for the same answers with and without validation. The difference is what validation costs there,
 * all of it; it is added to the cost of a bare `JSON.parse`, and the sum divided by that.
 */
import { contest } from './measure/contest.mjs'
import { lowerQuartile } from './measure/statistics.mjs'

const steps = ['parse', 'unchecked', 'checked', 'schema']

export async function validation({ quick }) {
  const effort = quick ? { rounds: 12, blockMs: 20 } : { rounds: 120, blockMs: 50 }
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

/** All in one process, since a difference of two processes would be a difference of two heaps as well. */
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
