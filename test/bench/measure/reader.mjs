/**
 * Runs in a separate process: reads a list once to its end, and reports time and memory. Takes its argument as JSON:
 *
 *     { "module": …, "service": …, "workMs": 5 }
 *
 * `workMs` is how long the consumer waits at the start of each page, as for a database query.
 */
import { performance } from 'node:perf_hooks'

const { module, service, workMs } = JSON.parse(process.argv[2])
const { list } = await (await import(module)).open(service)

const pageSize = 100
/** The number of items to read before the measurement, to open connections and compile the code. */
const warmUpItems = 20 * pageSize

function work() {
  if (workMs === 0) return undefined
  const endsAt = performance.now() + workMs
  return new Promise((resolve) => {
    const wait = () => (performance.now() >= endsAt ? resolve() : setImmediate(wait))
    setTimeout(wait, workMs - 2)
  })
}

let items = 0
let sum = 0
let startedAt
for await (const item of list()) {
  if (items === warmUpItems) startedAt = performance.now()
  if (items++ % pageSize === 0) await work()
  sum += item.amount
}
const ms = performance.now() - startedAt
if (!(sum > 0)) throw new Error('The items of the list have no amounts')
const { user, system } = process.cpuUsage()
process.send({
  usPerItem: (ms * 1000) / (items - warmUpItems),
  peakMb: process.resourceUsage().maxRSS / 1024,
  cpuMs: (user + system) / 1000,
})
process.disconnect()
