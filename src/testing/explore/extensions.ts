import { concerns, describePoint, type Point } from './network.js'
import type { Settings } from './options.js'
import type { RunResult } from './run.js'
import { type Disturbance, formatSchedule, isCrash, isWebhook, type Schedule } from './schedule.js'

/**
 * Extends the schedule of each run by one disturbance, in all possible ways, unless the run broke a rule. Returns the
 * new schedules in the order in which they should run.
 */
export function extend(results: readonly RunResult[], settings: Settings): Schedule[] {
  const traces = new Set<string>()
  const ranked = results.flatMap((result) => {
    const trace = [...result.requests, ...result.webhooks].map(describePoint).join()
    // If an earlier run had the same requests and webhooks, a further disturbance would probably show nothing new.
    const penalty = traces.has(trace) ? 3 : 0
    traces.add(trace)
    if (result.brokenRules.length > 0) return []
    return nextDisturbances(result, settings).flatMap((added) => {
      const all = [...result.schedule.disturbances, added]
      const disturbances = all.sort((a, b) => Number(isWebhook(a.kind)) - Number(isWebhook(b.kind)))
      const rank = rankOf(disturbances) + penalty
      return afterCrashModes(added, result, settings).map((afterCrash) => {
        return { rank, schedule: { ...result.schedule, afterCrash, disturbances } }
      })
    })
  })
  const sorted = ranked.sort((a, b) => a.rank - b.rank).map(({ schedule }) => schedule)
  return [...new Map(sorted.map((schedule) => [formatSchedule(schedule), schedule])).values()]
}

/** Returns all disturbances that can be added to a run: at every request and webhook after its last disturbance. */
function nextDisturbances({ schedule, requests, webhooks }: RunResult, settings: Settings): Disturbance[] {
  const { faults, crashes } = settings
  const last = (isOfWebhook: boolean) => {
    const ofKind = schedule.disturbances.filter(({ kind }) => isWebhook(kind) === isOfWebhook)
    return Math.max(0, ...ofKind.map(({ point }) => point))
  }
  const disturbancesAt = (point: Point, kinds: readonly Disturbance['kind'][]) =>
    kinds.map((kind): Disturbance => ({ point: point.number, kind, request: describePoint(point) }))
  return [
    ...requests.slice(last(false)).flatMap((point) => {
      return disturbancesAt(point, [...faults.filter((kind) => concerns(kind, point)), ...crashes])
    }),
    ...webhooks.slice(last(true)).flatMap((point) => disturbancesAt(point, settings.webhooks)),
  ]
}

/**
 * Returns the ways to continue after a crash: two if the crash is the first of the run and interrupts the scenario, and
 * one otherwise.
 */
function afterCrashModes(
  added: Disturbance,
  { schedule, scenarioRequests }: RunResult,
  settings: Settings,
): Schedule['afterCrash'][] {
  if (!endsProcess(added) || schedule.disturbances.some(endsProcess)) return [schedule.afterCrash]
  if (settings.afterCrash) return [settings.afterCrash]
  const isInScenario = isWebhook(added.kind) || added.point <= scenarioRequests
  return isInScenario ? ['settle', 'repeat'] : ['settle']
}

const endsProcess = ({ kind }: Disturbance) => isCrash(kind) || kind === 'during-crash'

/**
 * Ranks single faults first, then single crashes, then single webhook disturbances. Ranks pairs at the same request
 * first, then pairs at the same operation.
 */
function rankOf([first, second]: readonly Disturbance[]): number {
  if (first === undefined) return 0
  if (second === undefined) return isWebhook(first.kind) ? 2 : isCrash(first.kind) ? 1 : 0
  if (first.request === second.request) return 0
  return operationOf(first) === operationOf(second) ? 1 : 2
}

const operationOf = ({ request = '' }: Disturbance) => request.replace(/ .*/, '')
