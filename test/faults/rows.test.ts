import { expect, it } from 'vitest'
import { statusesById } from './support/rows.js'

it('a test belongs to the rows in its own title and in the titles of its describe blocks', () => {
  const tests = [
    { fullName: 'a journal N35 N36 agrees with the ledger', status: 'failed' },
    { fullName: 'N35 a journal whose processes are killed agrees with the ledger', status: 'passed' },
    { fullName: 'a journal agrees with the ledger of PN35', status: 'failed' },
  ]

  const statuses = statusesById(tests)

  expect(Object.fromEntries(statuses)).toEqual({ N35: ['failed', 'passed'], N36: ['failed'] })
})
