/** Measures verifying and parsing a webhook of 3 KB, compared with stripe. */
import { contest, cpuOf, smallestEffort } from './measure/contest.mjs'

const openers = {
  'payments-client': 'paymentsClient',
  stripe: 'stripe',
}

export async function webhooks({ quick }) {
  const effort = quick ? smallestEffort : { rounds: 40, blockMs: 100 }
  const module = new URL('contenders/verification.mjs', import.meta.url)
  const contenders = Object.entries(openers).map(([name, opener]) => ({ name, module, opener, operation: 'verify' }))
  const costs = await contest(contenders, effort)
  return Object.fromEntries(contenders.map(({ name }) => [name, { cpuUs: cpuOf(costs, name) }]))
}
