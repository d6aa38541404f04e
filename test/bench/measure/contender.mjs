/**
 * Runs in a separate process. Loads one of the compared libraries, then runs a block of operations for each message from
 * the parent process.
 */
import { performance } from 'node:perf_hooks'

const { module, opener, service } = JSON.parse(process.argv[2])
const operations = await (await import(module))[opener](service)

process.on('message', async ({ operation, count, lanes }) => {
  try {
    await operations.prepare?.(operation, count)
    process.send(await block(operations[operation], count, lanes))
  } catch (error) {
    process.send({ error: error.stack })
  }
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })

let index = 0

/** Runs `count` operations, `lanes` at a time, and returns their cost. */
async function block(operation, count, lanes) {
  let left = count
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: lanes }, lane))
  const { user, system } = process.cpuUsage(before)
  return {
    cpuUs: (user + system) / count,
    wallUs: ((performance.now() - startedAt) * 1000) / count,
    rss: process.memoryUsage.rss(),
    count,
  }

  async function lane() {
    while (left-- > 0) {
      if ((await operation(index++)) === undefined) throw new Error('An operation returned nothing')
    }
  }
}
