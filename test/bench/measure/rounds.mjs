import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'

/** The number of unused cores during a measurement, which uses one core for the caller and one for the service. */
const spareCores = Math.max(0, cpus().length - 2)
const toleratedCores = 0.25 + spareCores / 2

let disturbed = false

/** Returns whether other processes disturbed the rounds since the last call. */
export function wasDisturbed() {
  const wasSet = disturbed
  disturbed = false
  return wasSet
}

/**
 * Runs `count` rounds. Repeats rounds that other processes disturbed, but fewer than `count` times in total.
 *
 * `run(round)` returns the results, and the CPU time in milliseconds that the round used in other processes than this one.
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

/** Returns the total time in milliseconds that the cores were busy since the machine started. */
function busyMs() {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}
