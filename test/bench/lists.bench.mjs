/**
 * Reads a long list to its end.
 *
 * Measures speed, memory, and whether the client fetches the next page while the consumer processes the current one.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { quietRounds } from './measure/rounds.mjs'
import { startService } from './measure/service.mjs'
import { lowerQuartile, median } from './measure/statistics.mjs'

const names = ['payments-client', 'stripe', 'fetch']
const serviceTimeMs = 5
const consumerTimeMs = 5
const pageSize = 100

export async function lists({ quick }) {
  const short = { items: quick ? 3_000 : 30_000, runs: quick ? 1 : 5 }
  return {
    speed: await speed(quick ? short : { items: 100_000, runs: 9 }),
    overlap: await overlap(short),
  }
}

/** Returns the microseconds per item and the peak memory of the process. */
async function speed({ items, runs }) {
  const service = await startService({ items })
  const read = (name) => readList(name, service.address, 0)
  const rounds = await inTurn(service, runs, read)
  service.stop()
  return figures(rounds, (results) => ({
    usPerItem: lowerQuartile(results.map(({ usPerItem }) => usPerItem)),
    peakMb: median(results.map(({ peakMb }) => peakMb)),
  }))
}

/** Returns the time per page, divided by the time that the slower side (the service or the consumer) needs. */
async function overlap({ items, runs }) {
  const service = await startService({ items, serviceTimeMs })
  const rounds = await inTurn(service, runs, async (name) => {
    const { usPerItem, cpuMs } = await readList(name, service.address, consumerTimeMs)
    const { pages, totalMs } = await service.served()
    return { ratio: (usPerItem * pageSize) / 1000 / Math.max(totalMs / pages, consumerTimeMs), cpuMs }
  })
  service.stop()
  return figures(rounds, (results) => median(results.map(({ ratio }) => ratio)))
}

function inTurn(service, runs, read) {
  return quietRounds(runs, async () => {
    const serverBefore = await service.cpuMs()
    const measured = new Map()
    for (const name of names) measured.set(name, await read(name))
    const readers = [...measured.values()].reduce((sum, { cpuMs }) => sum + cpuMs, 0)
    return { measured, cpuMs: readers + (await service.cpuMs()) - serverBefore }
  })
}

function figures(rounds, summarize) {
  return Object.fromEntries(names.map((name) => [name, summarize(rounds.map((round) => round.get(name)))]))
}

/** Reads a list in a separate process, so that runs do not share memory. */
async function readList(name, service, workMs) {
  const module = String(new URL(`contenders/${name}.mjs`, import.meta.url))
  const child = fork(fileURLToPath(new URL('measure/reader.mjs', import.meta.url)), [
    JSON.stringify({ module, service, workMs }),
  ])
  const [result] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  if (typeof result !== 'object') throw new Error(`${name} could not read the list`)
  return result
}
