import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'

const page = readFileSync('docs/project/conformance.md', 'utf8')
const statements = new Set([...page.matchAll(/^- `(.+?)`: /gm)].map(([, id]) => id))

/** The titles of the tests, by file and by the ID of a statement. */
const titles: Record<string, Record<string, string>> = JSON.parse(readFileSync('test/conformance/titles.json', 'utf8'))

/** The title of each test by file, or the whole source line if its title is not a plain string. */
const tests = globSync('test/conformance/*.test.ts', { exclude: ['**/table.test.ts'] }).map((file) => {
  const lines = readFileSync(file, 'utf8').match(/^ *((it|test)\b(?!\.each)|\[?'the ).*$/gm) ?? []
  return [basename(file), lines.map((line) => /^ *(?:it\(|\[)?'([^']+)'/.exec(line)?.[1] ?? line)] as const
})

describe('the conformance suite', () => {
  it('tests every statement of the specification', () => {
    const ids = Object.values(titles).flatMap((own) => Object.keys(own))

    expect(statements.size).toBeGreaterThan(0)
    expect(ids.toSorted()).toEqual([...statements].toSorted())
  })

  it('contains exactly the tests in titles.json, each once', () => {
    const listed = Object.entries(titles).map(([file, own]) => [file, Object.values(own)])

    expect(Object.fromEntries(tests)).toEqual(Object.fromEntries(listed))
  })
})
