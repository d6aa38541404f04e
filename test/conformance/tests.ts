import { readdirSync, readFileSync } from 'node:fs'

/** A conformance test, parsed from its source file. */
export interface Test {
  /** The part of the title before the colon, or the whole source line if it contains no such title. */
  readonly id: string
  readonly title: string
  readonly file: string
}

const folder = 'test/conformance'

/** Returns every conformance test, including skipped ones. */
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
