/**
 * Measures a call that reads a payment, and a call that creates one. A server in another process sends every contender the
 * same payment, in the format of the contender's service.
 */
import { contest, cpuOf, smallestEffort, wallOf } from './measure/contest.mjs'
import { startService } from './measure/service.mjs'

const names = [
  'payments-client',
  'fetch',
  'undici',
  'node-http',
  'ky',
  'stripe',
  'openai',
  'adyen',
  'mollie',
  'square',
  'checkout',
]

export async function calls({ quick }) {
  const effort = quick ? smallestEffort : { rounds: 20, blockMs: 200 }
  const service = await startService()
  try {
    const concurrent = figures(await contest(contenders(), { ...effort, service, lanes: 64 }))
    // A quick run skips the sequential calls, because they run the same code.
    const sequential = quick ? concurrent : figures(await contest(contenders(), { ...effort, service, lanes: 1 }))
    return { concurrent, sequential }
  } finally {
    service.stop()
  }
}

const kinds = ['read', 'create']

function contenders() {
  return names.flatMap((name) => {
    const module = new URL(`contenders/${name}.mjs`, import.meta.url)
    return kinds.map((kind) => ({ name: `${name} ${kind}`, group: name, module, operation: kind }))
  })
}

/** Returns the CPU time and wall time in microseconds, for each kind of call and for both together. */
function figures(costs) {
  return Object.fromEntries(
    names.map((name) => {
      const [read, create] = kinds.map((kind) => ({
        cpuUs: cpuOf(costs, `${name} ${kind}`),
        wallUs: wallOf(costs, `${name} ${kind}`),
      }))
      return [name, { read, create, cpuUs: read.cpuUs + create.cpuUs, wallUs: read.wallUs + create.wallUs }]
    }),
  )
}
