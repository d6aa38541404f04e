import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { snippetsIn } from '../support/snippets.js'
import { exampleShops, journalPrograms, type Programs, queueExamples, writePrograms } from './programs.js'

/** The code in the guide for ORMs. */
const ormPrograms: Programs = Object.fromEntries(
  snippetsIn('docs/guides/orm.md').map(({ line, code }) => [`orm-${line}.ts`, `${code}\nexport {}\n`]),
)

/** The program in the skill for coding agents. */
const skill = snippetsIn('docs/skills/payments-client/SKILL.md').map(({ code }) => code)
const skillPrograms: Programs = { 'skill.ts': skill.join('\n') }

const types = 'transaction-types.ts'
const typesProgram: Programs = { [types]: readFileSync(resolve(import.meta.dirname, 'programs', types), 'utf8') }

/** The compiler options of the project, with the types of the oldest supported compiler. */
const { compilerOptions: given } = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config
const compilerOptions = {
  ...given,
  exactOptionalPropertyTypes: true,
  // The programs import the declarations of the build.
  paths: {},
  lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
}

const compilers: Readonly<Record<string, string>> = {
  '5.9': 'test/stores/node_modules/typescript-5.9/lib/tsc.js',
  '6': 'node_modules/typescript/lib/tsc.js',
  '7': 'node_modules/typescript-7/bin/tsc',
}

/** Returns the errors of a compiler for programs. */
function errorsIn(programs: Programs, version: string): string {
  const folder = writePrograms(`compiled-${version}`, programs)
  writeFileSync(resolve(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  return String(spawnSync(process.execPath, [resolve(compilers[version] as string), '-p', folder]).stdout)
}

it('the guides, skill, examples and types of transactions compile with TypeScript 7', () => {
  const programs = {
    ...journalPrograms,
    ...queueExamples,
    ...exampleShops,
    ...ormPrograms,
    ...skillPrograms,
    ...typesProgram,
  }

  expect(errorsIn(programs, '7')).toBe('')
})

/** Only the nightly check uses the older compilers, which are several times slower. */
const isNightly = process.env['ADAPTERS'] === 'all'

it.runIf(isNightly).each(['5.9', '6'])('the types of transactions compile with TypeScript %s', (version) => {
  expect(errorsIn(typesProgram, version)).toBe('')
})
