import { ConfigurationError } from '../errors.js'
import { describeIssues } from '../internal/issues.js'
import { engine } from '../internal/journal-engine.js'
import { boolean, checkOptions, integer, type Rules } from '../internal/options.js'
import type { Journal } from '../options.js'
import type { JournalOptions, JournalStore } from './journal.js'
import { createEngine } from './operations.js'

export const journalRules: Rules<JournalOptions> = {
  keyLifetime: /* @__PURE__ */ integer(1),
  resendFor: /* @__PURE__ */ integer(0),
  rememberFor: /* @__PURE__ */ integer(1),
  storeBodies: boolean,
}

/** Milliseconds for which `prune` keeps the request bodies of finished operations. */
export const keepBodiesForMs = 7 * 24 * 60 * 60 * 1000

const rememberForMs = 90 * 24 * 60 * 60 * 1000

/** Checks the options of a journal. Throws a `ConfigurationError` that names the invalid options. */
export function checkJournalOptions<T extends JournalOptions>(
  given: T | undefined,
  rules: Rules<T>,
): Partial<T> & { rememberFor: number } {
  const { values, issues } = checkOptions<T>(given, rules)
  if (issues.length > 0) throw new ConfigurationError(describeIssues(issues))
  return { ...values, rememberFor: values.rememberFor ?? rememberForMs }
}

export function toJournal(store: JournalStore, options: JournalOptions): Journal {
  return { migrate: () => store.migrate(), prune: () => store.prune(), [engine]: createEngine(store, options) }
}
