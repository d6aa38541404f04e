/**
 * Measures the cost of reading a payment and the cost of creating a payment.
 *
 * All contenders call a server in another process. The server sends the same payment to each contender, in the format
 * of that contender's service.
 */
import { nodeProgram } from '../package/node.ts'
import { contest, cpuOf, smallestEffort, wallOf } from './measure/contest.mjs'
import { startService } from './measure/service.mjs'

const names = ['payments-client', 'node-http', 'fetch', 'stripe']

export async function calls({ quick }) {
  const effort = quick ? smallestEffort : { rounds: 20, blockMs: 200 }
  const service = await startService()
  try {
    const reads = {}
    for (const version of ['24', '26']) {
      const execPath = await nodeProgram(version)
      const costs = await contest(contenders(names, ['read']), { ...effort, service, lanes: 64, execPath })
      reads[version] = Object.fromEntries(names.map((name) => [name, { cpuUs: cpuOf(costs, `${name} read`) }]))
    }
    const concurrent = figures(await contest(contenders(names, kinds), { ...effort, service, lanes: 64 }))
    // A quick run skips sequential calls, because they run the same code as concurrent calls.
    const sequential = quick
      ? concurrent
      : figures(await contest(contenders(names, kinds), { ...effort, service, lanes: 1 }))
    return { reads, concurrent, sequential }
  } finally {
    service.stop()
  }
}

const kinds = ['read', 'create']

function contenders(names, kinds) {
  return names.flatMap((name) => {
    const module = new URL(`contenders/${name}.mjs`, import.meta.url)
    return kinds.map((kind) => ({ name: `${name} ${kind}`, group: name, module, operation: kind }))
  })
}

/** Returns the CPU time and the wall time of reads, of creates, and of both together, in microseconds. */
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
