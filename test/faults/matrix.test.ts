import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { matrix, missingTests, unprovenTests } from './matrix.js'

const file = 'test/faults/urls.test.ts'

const reportOf = (title: string, status = 'passed') => ({
  testResults: [{ name: resolve(file), assertionResults: [{ ancestorTitles: ['a client'], title, status }] }],
})

const rowsOf = (title: string) => ({ U01: { fault: '', reaction: '', tests: { [file]: [`a client > ${title}`] } } })

describe('the fault matrix', () => {
  it('refers only to existing test files', () => {
    const files = Object.values(matrix).flatMap(({ tests }) => Object.keys(tests))

    expect(files.filter((name) => !existsSync(name))).toEqual([])
  })

  it('matches a test by its full title, with any text in place of a placeholder', () => {
    expect(unprovenTests(reportOf('rejects (301)'), rowsOf('rejects (%i)'))).toEqual([])
    expect(unprovenTests(reportOf('rejects [301]'), rowsOf('rejects (%i)'))).toEqual([
      `U01 ${file} > a client > rejects (%i): no such test`,
    ])
  })

  it.each(['failed', 'skipped'])('does not accept a %s test as proof', (status) => {
    expect(unprovenTests(reportOf('rejects', status), rowsOf('rejects'))).toEqual([
      `U01 ${file} > a client > rejects: ${status}`,
    ])
  })

  it('reports a renamed test of a file that ran', () => {
    expect(missingTests(reportOf('rejects all', 'skipped'), rowsOf('rejects'))).toHaveLength(1)
    expect(missingTests(reportOf('rejects', 'skipped'), rowsOf('rejects'))).toEqual([])
    expect(missingTests({ testResults: [] }, rowsOf('rejects'))).toEqual([])
  })
})
