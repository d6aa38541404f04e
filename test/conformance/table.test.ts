import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync('docs/project/conformance.md', 'utf8')
const statements = [...page.matchAll(/^- `(.+?)`: /gm)].map(([, id]) => id)

/** The ID before the colon in each test title, or the whole source line if its title has no ID. */
const tests = globSync('test/conformance/*.test.ts', { exclude: ['**/table.test.ts'] }).flatMap((file) => {
  const lines = readFileSync(file, 'utf8').match(/^ *((it|test)\b(?!\.each)|\[?'[\w-]+\.[\w-]+: ).*$/gm) ?? []
  return lines.map((line) => /^ *(?:it\(|\[)?'([\w.-]+): [^']+'/.exec(line)?.[1] ?? line)
})

describe('the conformance suite', () => {
  it('tests every statement of the specification', () => {
    expect(statements).not.toEqual([])
    expect(statements.filter((id) => !tests.includes(id as string))).toEqual([])
  })

  it('contains only tests that belong to a statement', () => {
    expect(tests.filter((id) => !statements.includes(id))).toEqual([])
  })

  it('uses each id only once', () => {
    expect(tests.filter((id, index) => tests.indexOf(id) !== index)).toEqual([])
  })
})
