import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** A fault, the client's reaction, and the tests that prove it. */
export interface Row {
  fault: string
  reaction: string
  /**
   * Titles by test file. A title begins with those of its `describe` blocks, as in `describe > it`. The placeholders of
   * `it.each`, such as `%s` and `$name`, match any text.
   */
  tests: Record<string, string[]>
}

export type Matrix = Record<string, Row>

/** The part of vitest's JSON report that contains the results of tests. */
export interface Report {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[]
}

export const matrix: Matrix = JSON.parse(readFileSync('test/faults/matrix.json', 'utf8'))

/** Returns the titles that match no test in the report. Ignores files that did not run. */
export function missingTests(report: Report, rows = matrix): string[] {
  const files = new Set(report.testResults.map(({ name }) => relative('.', name)))
  return rowTests(report, rows)
    .filter(({ file, statuses }) => files.has(file) && statuses.length === 0)
    .map(({ test }) => `${test}: no such test`)
}

/** Returns the titles whose tests are missing from the report or did not pass. */
export function unprovenTests(report: Report, rows = matrix): string[] {
  return rowTests(report, rows)
    .filter(({ statuses }) => statuses.length === 0 || statuses.some((status) => status !== 'passed'))
    .map(({ test, statuses }) => `${test}: ${statuses.find((status) => status !== 'passed') ?? 'no such test'}`)
}

function rowTests({ testResults }: Report, rows: Matrix) {
  const results = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => {
      return { file: relative('.', name), title: [...ancestorTitles, title].join(' > '), status }
    }),
  )
  return Object.entries(rows).flatMap(([id, { tests }]) =>
    Object.entries(tests).flatMap(([file, titles]) =>
      titles.map((title) => {
        const pattern = patternOf(title)
        const own = results.filter((result) => result.file === file && pattern.test(result.title))
        return { file, test: `${id} ${file} > ${title}`, statuses: own.map(({ status }) => status) }
      }),
    ),
  )
}

function patternOf(title: string): RegExp {
  const parts = title.split(/%[a-z#]|\$\w+/).map((part) => part.replace(/[^\w\s]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}
