import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type BadDay, type Case, type Ending, Stage } from './bad-day.js'
import { schedule } from './schedule.js'

/** What many bad days came to. */
export interface LedgerReport {
  schedules: number
  calls: number
  requests: number
  /** How the calls ended. */
  endings: Record<Ending['outcome'], number>
  /** Of the matters in which only doubt was reported: how many had taken effect, and how many had not. */
  doubts: { happened: number; nothing: number }
  effects: number
  doubleEffects: number
  wrongClaims: number
}

/**
 * Live through random bad days, and hold what the clients were told against the sandbox's ledger.
 *
 * @throws The shortest schedule found in which somebody was told wrong, or something was done twice.
 */
export async function compareLedger({ schedules, seed }: { schedules: number; seed: number }): Promise<LedgerReport> {
  const report: LedgerReport = {
    schedules: 0,
    calls: 0,
    requests: 0,
    endings: { success: 0, recovered: 0, rejected: 0, not_sent: 0, unknown: 0, accepted: 0 },
    doubts: { happened: 0, nothing: 0 },
    effects: 0,
    doubleEffects: 0,
    wrongClaims: 0,
  }
  const stages = {
    replay: await Stage.of('replay'),
    conflict: await Stage.of('conflict'),
    'conflict-400': await Stage.of('conflict-400'),
  }
  const property = fc.asyncProperty(schedule, async (planned) => {
    const day = await stages[planned.idempotency].live(planned)
    add(report, day)
    assert.deepEqual(day.strays, [], 'an effect that nobody asked for')
    for (const each of day.cases) assert.deepEqual(contradictions(each), [], JSON.stringify(each))
  })
  await fc.assert(property, { numRuns: schedules, seed })
  return report
}

/** Where what was told and what was done disagree. Each thing must be done once at most, and under a key that sent it. */
function contradictions({ endings, effects }: Case): string[] {
  const found = effects.length > 1 ? ['done more than once'] : []
  const keys = new Set([...endings.map(({ key }) => key), ...effects.map(({ idempotencyKey }) => idempotencyKey)])
  for (const key of keys) {
    const told = endings.filter((ending) => ending.key === key)
    const done = effects.filter(({ idempotencyKey }) => idempotencyKey === key)
    if (told.some(isSuccess) && done.length === 0) found.push('told as done, but not in the ledger')
    if (!told.some(isSuccess) && !told.some(isDoubt) && done.length > 0)
      found.push('told as not done, but in the ledger')
    if (told.some(({ returned }) => returned !== undefined && returned !== done[0]?.resourceId)) {
      found.push('the payment returned is another one')
    }
  }
  return found
}

function isSuccess({ outcome }: Ending): boolean {
  return outcome === 'success' || outcome === 'recovered'
}

function isDoubt({ outcome }: Ending): boolean {
  return outcome === 'unknown' || outcome === 'accepted'
}

function add(report: LedgerReport, { cases, requests }: BadDay): void {
  report.schedules += 1
  report.requests += requests
  for (const each of cases) {
    const { endings, effects } = each
    report.calls += endings.length
    for (const { outcome } of endings) report.endings[outcome] += 1
    if (endings.every(isDoubt)) report.doubts[effects.length > 0 ? 'happened' : 'nothing'] += 1
    report.effects += effects.length
    report.doubleEffects += Math.max(0, effects.length - 1)
    report.wrongClaims += contradictions(each).length
  }
}
