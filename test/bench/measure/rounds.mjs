import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'

/** The number of unused cores: a measurement uses one core for the caller and one for the service. */
const spareCores = Math.max(0, cpus().length - 2)
const toleratedCores = 0.25 + spareCores / 2

let disturbed = false

/** Returns whether other processes used so much CPU time that a round since the last call is unreliable. */
export function wasDisturbed() {
  const wasSet = disturbed
  disturbed = false
  return wasSet
}

/**
 * Runs `count` rounds, and repeats up to `count - 1` rounds that other processes disturb.
 *
 * `run(round)` returns its results, and the milliseconds of CPU time that other processes used for it.
 */
export async function quietRounds(count, run) {
  const kept = []
  let patience = count - 1
  while (kept.length < count) {
    const before = { at: performance.now(), busy: busyMs(), own: process.cpuUsage() }
    const { measured, cpuMs } = await run(kept.length)
    const { user, system } = process.cpuUsage(before.own)
    const others = busyMs() - before.busy - cpuMs - (user + system) / 1000
    const quiet = others / (performance.now() - before.at) < toleratedCores
    if (!quiet && patience-- > 0) continue
    if (!quiet) disturbed = true
    kept.push(measured)
  }
  return kept
}

/** Returns the milliseconds that all cores together have been busy since the machine started. */
function busyMs() {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}
