import { engine } from '../core/internal/journal-engine.js'
import { boolean, integer, type Shape } from '../core/internal/validation.js'
import type { Journal } from '../core/options.js'
import type { JournalOptions, JournalStore } from './journal.js'
import { createEngine } from './operations.js'

export const journalRules: Shape<JournalOptions> = {
  keyLifetime: integer(1),
  resendFor: integer(0),
  rememberFor: integer(1),
  storeBodies: boolean,
}

/** Milliseconds for which `prune` keeps the request bodies of finished operations. */
export const keepBodiesForMs = 7 * 24 * 60 * 60 * 1000

/**
 * Creates a journal from its database.
 *
 * @param open Returns the database. Its `prune` keeps finished records for `rememberFor` milliseconds.
 */
export function toJournal(
  { rememberFor = 90 * 24 * 60 * 60 * 1000, ...options }: JournalOptions,
  open: (rememberFor: number) => JournalStore,
): Journal {
  const store = open(rememberFor)
  return { migrate: () => store.migrate(), prune: () => store.prune(), [engine]: createEngine(store, options) }
}
