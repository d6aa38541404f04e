import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { quietRounds } from './rounds.mjs'
import { lowerQuartile } from './statistics.mjs'

/** The number of runs after which V8 has compiled the code. */
const enoughToCompile = 2000

/** Settings for a quick run, which only checks that a comparison works. Its results are meaningless. */
export const smallestEffort = { rounds: 1, blockMs: 1, warmUpRuns: 1 }

/**
 * Compares contenders that run in separate processes.
 *
 * The processes take turns in short blocks, so a slow period of the machine affects all of them. Rounds that another
 * process disturbs do not count.
 *
 * A contender is `{ name, module, opener?, operation, group? }`. `module` exports a function (default: `open`) that
 * takes the service's address and returns operations by name. Contenders with the same `group` share a process.
 *
 * `execPath` is the Node program that runs the contenders, by default the one that runs this process.
 *
 * Returns the cost of one operation in each round, by contender: `{ cpuUs: number[], wallUs: number[] }`.
 */
export async function contest(
  contenders,
  { service, lanes = 1, rounds, blockMs, warmUpRuns = enoughToCompile, execPath = process.execPath },
) {
  const processes = await startAll(contenders, service?.address, execPath)
  try {
    const blocks = []
    for (const { name, operation, group = name } of contenders) {
      const run = (count) => ask(processes.get(group), { operation, count, lanes })
      blocks.push({ name, run, count: await warmUp(run, lanes, { blockMs, warmUpRuns }) })
    }
    return await alternate(blocks, { rounds, service, lanes })
  } finally {
    for (const child of processes.values()) child.kill()
  }
}

async function startAll(contenders, address, execPath) {
  const processes = new Map()
  for (const { name, module, opener = 'open', group = name } of contenders) {
    if (!processes.has(group)) {
      processes.set(group, await startProcess({ module, opener, service: address }, execPath))
    }
  }
  return processes
}

/** Starts a process that runs operations of one contender. */
export async function startProcess({ module, opener, service }, execPath = process.execPath) {
  const options = JSON.stringify({ module: String(module), opener, service })
  const child = fork(fileURLToPath(new URL('contender.mjs', import.meta.url)), [options], { execPath })
  await heard(child)
  return child
}

/** Runs operations until V8 has compiled them. Returns how many operations fill a block. */
async function warmUp(run, lanes, { blockMs, warmUpRuns }) {
  let count = lanes
  let done = 0
  for (let warmedMs = 0; warmedMs < 4 * blockMs || done < warmUpRuns; ) {
    const { wallUs } = await run(count)
    warmedMs += (wallUs * count) / 1000
    done += count
    count = Math.max(lanes, Math.ceil((blockMs * 1000) / wallUs))
  }
  return count
}

async function alternate(blocks, { rounds, service, lanes }) {
  const kept = await quietRounds(rounds, async (round) => {
    const serverBefore = await service?.cpuMs()
    const measured = new Map()
    let cpuMs = 0
    for (const { name, run, count } of rotated(blocks, round)) {
      // Makes unmeasured calls first, to reopen connections that closed since the last block.
      const warm = await run(2 * lanes)
      const result = await run(count)
      cpuMs += (warm.cpuUs * warm.count + result.cpuUs * result.count) / 1000
      measured.set(name, result)
    }
    if (service) cpuMs += (await service.cpuMs()) - serverBefore
    return { measured, cpuMs }
  })
  const costs = (name, cost) => kept.map((round) => round.get(name)[cost])
  return Object.fromEntries(
    blocks.map(({ name }) => [name, { cpuUs: costs(name, 'cpuUs'), wallUs: costs(name, 'wallUs') }]),
  )
}

/** Changes the order in each round, because a contender can slow down the next one. */
function rotated(blocks, round) {
  const start = round % blocks.length
  return [...blocks.slice(start), ...blocks.slice(0, start)]
}

/** Runs a block of operations in a contender's process, and returns its cost. */
export async function ask(child, question) {
  child.send(question)
  return heard(child)
}

function heard(child) {
  return new Promise((resolve, reject) => {
    const onMessage = (message) => {
      child.off('exit', onExit)
      message.error ? reject(new Error(message.error)) : resolve(message)
    }
    const onExit = (code) => {
      child.off('message', onMessage)
      reject(new Error(`The process of a contender ended with ${code}`))
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
  })
}

/** Returns the cost of one operation: the lower quartile over all rounds. */
export const cpuOf = (costs, name) => lowerQuartile(costs[name].cpuUs)
export const wallOf = (costs, name) => lowerQuartile(costs[name].wallUs)
