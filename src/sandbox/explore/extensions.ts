import { concerns, describePoint } from './network.js'
import type { ExploreOptions } from './options.js'
import type { RunResult } from './run.js'
import {
  crashKinds,
  type Disturbance,
  faultKinds,
  formatSchedule,
  isCrash,
  isWebhook,
  type Schedule,
  webhookKinds,
} from './schedule.js'

/** Returns the schedules of runs with one more disturbance, in the order in which to run them. */
export function extend(results: readonly RunResult[], options: ExploreOptions<unknown>): Schedule[] {
  const traces = new Set<string>()
  const ranked = results.flatMap((result) => {
    const trace = [...result.points.map(describePoint), ...result.webhooks].join()
    // The shop behaved as in an earlier run, so the next disturbance probably has the same effect as in that run.
    const penalty = traces.has(trace) ? 3 : 0
    traces.add(trace)
    return extensionsOf(result, options).map((schedule) => ({ schedule, rank: rankOf(schedule) + penalty }))
  })
  const unique = new Map(
    ranked.sort((a, b) => a.rank - b.rank).map(({ schedule }) => [formatSchedule(schedule), schedule]),
  )
  return [...unique.values()]
}

/** Returns the schedules that add one disturbance to a run. A run with a broken rule has none. */
function extensionsOf(result: RunResult, options: ExploreOptions<unknown>): Schedule[] {
  if (result.brokenRules.length > 0) return []
  const { disturbances } = result.schedule
  return nextDisturbances(result, options).flatMap((added) => {
    const all = [...disturbances, added].sort((a, b) => Number(isWebhook(a.kind)) - Number(isWebhook(b.kind)))
    return afterCrashModes(added, result, options).map(
      (afterCrash): Schedule => ({ ...result.schedule, afterCrash, disturbances: all }),
    )
  })
}

/** Returns the disturbances of the requests and webhooks after those that the schedule already disturbs. */
function nextDisturbances(
  { schedule, points, webhooks }: RunResult,
  { faults = faultKinds, crashes = crashKinds, webhooks: disturbances = webhookKinds }: ExploreOptions<unknown>,
): Disturbance[] {
  const numbersOf = (ofWebhooks: boolean) =>
    schedule.disturbances.filter(({ kind }) => isWebhook(kind) === ofWebhooks).map(({ point }) => point)
  const lastRequest = Math.max(0, ...numbersOf(false))
  const lastWebhook = Math.max(0, ...numbersOf(true))
  const ofRequests = points.slice(lastRequest).flatMap((point) => {
    const kinds = [...faults.filter((kind) => concerns(kind, point)), ...crashes]
    return kinds.map((kind): Disturbance => ({ point: point.number, kind, request: describePoint(point) }))
  })
  const ofWebhooks = webhooks.flatMap((request, index) =>
    disturbances.map((kind): Disturbance => ({ point: index + 1, kind, request })),
  )
  return [...ofRequests, ...ofWebhooks.filter(({ point }) => point > lastWebhook)]
}

/** Returns what may happen after a crash. Without a first crash in the scenario, there is only one possibility. */
function afterCrashModes(
  added: Disturbance,
  { schedule, scenarioRequests }: RunResult,
  options: ExploreOptions<unknown>,
): Schedule['afterCrash'][] {
  if (!endsProcess(added) || schedule.disturbances.some(endsProcess)) return [schedule.afterCrash]
  if (options.afterCrash) return [options.afterCrash]
  const isInScenario = isWebhook(added.kind) || added.point <= scenarioRequests
  return isInScenario ? ['settle', 'repeat'] : ['settle']
}

const endsProcess = ({ kind }: Disturbance) => isCrash(kind) || kind === 'during-crash'

/** Ranks single faults, then crashes, then webhooks, and pairs around the same request or operation before others. */
function rankOf({ disturbances: [first, second] }: Schedule): number {
  if (first === undefined) return 0
  if (second === undefined) return isWebhook(first.kind) ? 2 : isCrash(first.kind) ? 1 : 0
  if (first.request === second.request) return 0
  return operationOf(first) === operationOf(second) ? 1 : 2
}

const operationOf = ({ request = '' }: Disturbance) => request.replace(/ .*/, '')
