import assert from 'node:assert/strict'
import fc from 'fast-check'
import { schedule } from './schedule.js'
import { type Case, type Ending, type OpenJournal, type ScheduleResult, Simulation } from './simulation.js'

export interface LedgerReport {
  schedules: number
  calls: number
  requests: number
  /** The number of calls by outcome. */
  endings: Record<Ending['outcome'], number>
  /** The number of targets whose calls all have an unknown outcome, by whether the ledger contains an effect. */
  unknown: { effect: number; noEffect: number }
  effects: number
}

/**
 * Runs random schedules, and compares the outcomes with the sandbox's ledger.
 *
 * @throws The shortest schedule with a wrong outcome or a double effect.
 */
export async function compareLedger(
  { schedules, seed }: { schedules: number; seed: number },
  openJournal?: OpenJournal,
): Promise<LedgerReport> {
  const report: LedgerReport = {
    schedules: 0,
    calls: 0,
    requests: 0,
    endings: { success: 0, recovered: 0, rejected: 0, not_sent: 0, unknown: 0, accepted: 0 },
    unknown: { effect: 0, noEffect: 0 },
    effects: 0,
  }
  const simulations = {
    replay: await Simulation.create('replay', openJournal),
    conflict: await Simulation.create('conflict', openJournal),
    'conflict-400': await Simulation.create('conflict-400', openJournal),
  }
  const property = fc.asyncProperty(schedule, async (planned) => {
    const result = await simulations[planned.idempotency].run(planned)
    add(report, result)
    assert.deepEqual(result.strays, [], 'an effect without a call')
    for (const each of result.cases) assert.deepEqual(contradictions(each), [], JSON.stringify(each))
  })
  await fc.assert(property, { numRuns: schedules, seed })
  return report
}

/** Returns contradictions between the outcomes of a target's calls and their effects. At most one effect is allowed. */
function contradictions({ endings, effects }: Case): string[] {
  const found = effects.length > 1 ? ['more than one effect'] : []
  const keys = new Set([...endings.map(({ key }) => key), ...effects.map(({ idempotencyKey }) => idempotencyKey)])
  for (const key of keys) {
    const ended = endings.filter((ending) => ending.key === key)
    const own = effects.filter(({ idempotencyKey }) => idempotencyKey === key)
    if (ended.some(isSuccess) && own.length === 0) found.push('a success without an effect')
    if (!ended.some(isSuccess) && !ended.some(isAmbiguous) && own.length > 0)
      found.push('an effect of a call that failed')
    if (ended.some(({ returned }) => returned !== undefined && returned !== own[0]?.resourceId)) {
      found.push('another payment was returned')
    }
  }
  return found
}

function isSuccess({ outcome }: Ending): boolean {
  return outcome === 'success' || outcome === 'recovered'
}

function isAmbiguous({ outcome }: Ending): boolean {
  return outcome === 'unknown' || outcome === 'accepted'
}

function add(report: LedgerReport, { cases, requests }: ScheduleResult): void {
  report.schedules += 1
  report.requests += requests
  for (const { endings, effects } of cases) {
    report.calls += endings.length
    for (const { outcome } of endings) report.endings[outcome] += 1
    if (endings.every(isAmbiguous)) report.unknown[effects.length > 0 ? 'effect' : 'noEffect'] += 1
    report.effects += effects.length
  }
}
