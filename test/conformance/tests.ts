import { readdirSync, readFileSync } from 'node:fs'

/** A test of this suite, parsed from its source file. */
export interface Test {
  /** The part of the title before the colon. If the source line has no such title, the whole line. */
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
