/**
 * Measures the CPU time of `JSON.parse` and the schema of `payments-client/schemas`, divided by that of `JSON.parse`,
 * for a payment and a page of 100 summaries. It is the median of several processes, because V8 optimizes the code
 * differently in each process.
 */
import { contest, smallestEffort } from './measure/contest.mjs'
import { lowerQuartile, median } from './measure/statistics.mjs'

export async function validation({ quick }) {
  const effort = quick ? smallestEffort : { rounds: 24, blockMs: 50 }
  const module = new URL('contenders/validation.mjs', import.meta.url)
  const ratios = { payment: [], page: [] }
  for (const [what, all] of Object.entries(ratios)) {
    // Both contenders run in one process, because the heaps of two processes would differ.
    const contenders = ['parse', 'validate'].map((step) => {
      const operation = `${step} ${what}`
      return { name: step, group: 'validation', module, operation }
    })
    for (let run = 0; run < (quick ? 1 : 5); run++) {
      const { parse, validate } = await contest(contenders, effort)
      all.push(lowerQuartile(validate.cpuUs) / lowerQuartile(parse.cpuUs))
    }
  }
  return { payment: median(ratios.payment), page: median(ratios.page) }
}
