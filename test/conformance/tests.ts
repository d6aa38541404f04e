import { readdirSync, readFileSync } from 'node:fs'

/** A test of this suite, as written in its file. */
export interface Test {
  /** The part before the colon; the whole line if the test is not written as `it('id: title', …)` or as a row of a table. */
  readonly id: string
  readonly title: string
  readonly file: string
}

const folder = 'test/conformance'

/** Returns every test of this suite, including skipped ones. */
export function readTests(): Test[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts')
  return files.flatMap((name) => {
    const file = `${folder}/${name}`
    const lines = readFileSync(file, 'utf8').match(/^ *((it|test)\b(?!\.each)|\[?'[\w-]+\.[\w-]+: ).*$/gm) ?? []
    return lines.map((line) => ({ ...readTitle(line.trim()), file }))
  })
}

function readTitle(line: string): Pick<Test, 'id' | 'title'> {
  const [, title = line, id = line] = /^(?:it\(|\[)?'(([\w.-]+): [^']+)'/.exec(line) ?? []
  return { id, title }
}
