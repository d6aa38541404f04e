import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchor } from '../../scripts/docs/markdown.js'

const page = readFileSync('docs/guides/frameworks.md', 'utf8')

/** A section of docs/guides/frameworks.md about one framework. */
export interface Guide {
  /** The anchor of the section's heading. */
  readonly name: string
  /** The contents of the files that the reader saves or copies, except for `shop.ts`, by name. */
  readonly files: ReadonlyMap<string, string>
  /** The packages that the reader installs. */
  readonly packages: readonly string[]
  readonly usesPostgres: boolean
}

const sections = page.split(/^## /m).map((section) => ({ name: anchor(/^.*/.exec(section)?.[0] ?? ''), section }))

/** The examples that a reader copies beside the files of a section. */
const examples: Readonly<Record<string, string>> = { 'aws-lambda': 'lambda-local.ts', nestjs: 'nest-fastify.ts' }

export const guides: readonly Guide[] = sections
  .filter(({ section }) => section.includes('openShop') || section.includes('createShop'))
  .map(({ name, section }) => ({
    name,
    files: new Map([...filesIn(section), ...examplesFor(name)]),
    packages: packagesIn(section),
    usesPostgres: section.includes('(#with-postgresql)'),
  }))
  .filter(({ name }) => name !== 'the-shop')

export function guideNamed(name: string | undefined): Guide {
  const guide = guides.find((guide) => guide.name === name)
  if (!guide) throw new Error(`docs/guides/frameworks.md has no section ${name}`)
  return guide
}

/** The packages that every reader installs. */
export const commonPackages = packagesIn(sections.find(({ name }) => name === 'the-shop')?.section ?? '')

/** The curl commands of the page, with the output that the page shows for each. */
export const commands: readonly { readonly command: string; readonly output: string }[] = [
  ...page.matchAll(/^```sh\n(curl .*?)^```\n.*?^```\w+\n(.*?)\n```$/gms),
].map(([, command = '', output = '']) => ({ command, output }))

/** The lines that each server prints according to the page. */
export const printedLines = (/prints a line for each change:\n\n```text\n(.*?)\n```/s.exec(page)?.[1] ?? '').split('\n')

/** The program that creates the tables in PostgreSQL, according to the page. */
export const migration = /node --env-file=.env --eval "(.*)"/.exec(page)?.[1] ?? ''

/** `shop.ts` for SQLite and, after the replacements that the page describes, for PostgreSQL. */
export const shops: Readonly<Record<'sqlite' | 'postgres', string>> = (() => {
  const sqlite = readFileSync('examples/frameworks/shop.ts', 'utf8')
  const [, replacement = ''] = /^### With PostgreSQL\n.*?^```ts\n(.*?)^```$/ms.exec(page) ?? []
  const [newImport = '', newFunction = ''] = replacement.split(/\n\n(?=function)/)
  const openDatabase = /^function openDatabase.*?^}\n/ms
  return { sqlite, postgres: sqlite.replace(/^import .*$/m, newImport).replace(openDatabase, () => newFunction) }
})()

function filesIn(text: string): Map<string, string> {
  const files = text.matchAll(/[Ss]ave \w+ as `([^`]+)`[^\n]*(?:\n[^\n]+)*\n\n```\w+\n(.*?)^```$/gms)
  return new Map([...files].map(([, file = '', content = '']) => [file, content]))
}

function examplesFor(name: string): [file: string, content: string][] {
  const file = examples[name]
  return file === undefined ? [] : [[file, readFileSync(`examples/frameworks/${file}`, 'utf8')]]
}

function packagesIn(text: string): string[] {
  return [...text.matchAll(/(?:^|`)npm install ([^`&\n]*)/gm)].flatMap(([, list = '']) => list.split(' '))
}

/** Writes the files of each section into its own folder. For PostgreSQL, the folder's name ends with `-postgres`. */
export function writeGuides(folder: string): void {
  for (const { name, files, usesPostgres } of guides) {
    writeFiles(join(folder, name), files, shops.sqlite)
    if (usesPostgres) writeFiles(join(folder, `${name}-postgres`), files, shops.postgres)
  }
}

function writeFiles(folder: string, files: Guide['files'], shop: string): void {
  for (const [file, content] of [...files, ['shop.ts', shop] as const]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
}
