import { describe } from 'vitest'
import { createMemoryJournal, type Journal } from '../../src/index.js'
import { testJournal } from './behaviour.js'
import { testRules } from './rules.js'
import type { JournalDatabase } from './shop.js'

describe('the memory journal', () => {
  const journals = new Map<string, Journal>()
  const passed = new Map<string, number>()
  const database: JournalDatabase = {
    async open(name, options) {
      const journal =
        journals.get(name) ??
        createMemoryJournal({ ...options, now: () => new Date(Date.now() + (passed.get(name) ?? 0)) })
      journals.set(name, journal)
      return journal
    },
    transact: (work) => work(undefined),
    async pass(name, ms) {
      passed.set(name, (passed.get(name) ?? 0) + ms)
    },
  }
  testJournal(database)
  testRules(database)
})
