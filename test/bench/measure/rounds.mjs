import { cpus } from 'node:os'
import { performance } from 'node:perf_hooks'

/** A measurement needs a core for the caller and one for the service. On smaller machines nothing else may run. */
const spareCores = Math.max(0, cpus().length - 2)
const toleratedCores = 0.25 + spareCores / 2

let disturbed = false

/** Whether other jobs kept disturbing what was measured since this was last asked. */
export function wasDisturbed() {
  const answer = disturbed
  disturbed = false
  return answer
}

/**
 * Run so many rounds. A round that other jobs disturbed is thrown away and run again, until as many were thrown away as
 * were wanted; from then on every round counts.
 *
 * `run(round)` says what it measured and how many milliseconds of CPU that took, in all processes but this one.
 */
export async function quietRounds(count, run) {
  const kept = []
  let patience = count
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

/** Milliseconds that all cores were busy since the machine started. */
function busyMs() {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}
