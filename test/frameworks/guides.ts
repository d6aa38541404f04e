import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A page of docs/guides/frameworks. */
export interface Guide {
  readonly name: string
  /** The contents of the files that the reader saves, by name. */
  readonly files: ReadonlyMap<string, string>
  /** For each database, the example with which the page creates `shop.ts`: first the default, then the alternatives. */
  readonly databases: readonly string[]
  /** The packages that the reader installs. */
  readonly packages: readonly string[]
  /** The curl commands, with the output that the page shows for each. */
  readonly commands: readonly { readonly command: string; readonly output: string }[]
  /** The lines that the server prints according to the page. */
  readonly printed: readonly string[]
  /** Whether the server exits with code 0 after SIGTERM. */
  readonly endsOnSigterm: boolean
}

export const guides: readonly Guide[] = globSync('docs/guides/frameworks/*.md').sort().map(readGuide)

export function guideNamed(name: string | undefined): Guide {
  const guide = guides.find((guide) => guide.name === name)
  if (!guide) throw new Error(`docs/guides/frameworks/${name}.md does not exist`)
  return guide
}

function readGuide(page: string): Guide {
  const text = readFileSync(page, 'utf8')
  const files = text.matchAll(/[Ss]ave \w+ as `([^`]+)`.*?\n\n```\w+\n(.*?)^```$/gms)
  const commands = text.matchAll(/^```sh\n(curl .*?)^```\n.*?^```\w+\n(.*?)\n```$/gms)
  const [, printed = ''] = /prints a line for each webhook.*?```text\n(.*?)\n```/s.exec(text) ?? []
  return {
    name: basename(page, '.md'),
    files: new Map([...files].map(([, file = '', content = '']) => [file, content])),
    databases: [...text.matchAll(/npx payments-client example (\w+)\/shop$/gm)].map(([, name = '']) => name),
    packages: [...text.matchAll(/^npm install (.*)$/gm)].flatMap(([, list = '']) => list.split(' ')),
    commands: [...commands].map(([, command = '', output = '']) => ({ command, output })),
    printed: printed.split('\n'),
    endsOnSigterm: text.includes("process.once('SIGTERM'"),
  }
}

/**
 * Writes the files of each guide into its own folder. Files for an alternative database are in `<guide>-<database>`.
 */
export function writeGuides(folder: string): void {
  for (const { name, files, databases } of guides) {
    for (const [index, database] of databases.entries()) {
      const shop = readFileSync(`examples/${database}/shop.ts`, 'utf8')
      for (const [file, content] of [...files, ['shop.ts', shop] as const]) {
        const path = join(folder, index === 0 ? name : `${name}-${database}`, file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, content)
      }
    }
  }
}
