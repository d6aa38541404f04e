import { describe } from 'vitest'
import { createMemoryJournal, type Journal } from '../../src/index.js'
import { testJournal } from './behaviour.js'

describe('the memory journal', () => {
  const journals = new Map<string, Journal>()
  testJournal({
    async open(name, options) {
      const journal = journals.get(name) ?? createMemoryJournal(options)
      journals.set(name, journal)
      return journal
    },
    transact: (work) => work(undefined),
  })
})
