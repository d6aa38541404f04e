import { readdirSync, readFileSync } from 'node:fs'

/** A test of this suite, as its file writes it. */
export interface Test {
  /** The text before the colon; the whole line where the test is not written as `it('id: sentence', …)`. */
  readonly id: string
  readonly title: string
  readonly file: string
}

const folder = 'test/conformance'

/** Every test of this suite, skipped ones and others that would not run among them. */
export function readTests(): Test[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts')
  return files.flatMap((name) => {
    const file = `${folder}/${name}`
    const lines = readFileSync(file, 'utf8').match(/^ *(it|test)\b.*$/gm) ?? []
    return lines.map((line) => ({ ...readTitle(line.trim()), file }))
  })
}

function readTitle(line: string): Pick<Test, 'id' | 'title'> {
  const [, title = line, id = line] = /^it\('(([\w.-]+): [^']+)'/.exec(line) ?? []
  return { id, title }
}
