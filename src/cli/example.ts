import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from '@commander-js/extra-typings'
import { suggest } from '../core/internal/issues.js'
import { addCommand, CommandFailed, UsageError } from './command.js'
import { createTable } from './table.js'
import type { Terminal } from './terminal.js'

export function addExampleCommand(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'example',
    'Copy an example program to the current folder, or list the examples',
    'example quickstart',
  )
    .argument('[name]', 'Name of the example (default: list all)')
    .addHelpText('after', '\nThe copies run on Node 22.18 or later, without a build: node quickstart.ts')
    .action((name, { json }) => {
      const examples = findExamples()
      if (name === undefined) {
        const rows = examples.map((example) => [example.name, example.summary])
        terminal.print(...(json ? [JSON.stringify(examples)] : createTable('NAME', 'SUMMARY')(rows)))
        return
      }
      const example = examples.find((each) => each.name === name)
      if (example === undefined) throw unknownExample(name, examples)
      const file = basename(example.path)
      if (existsSync(file)) throw new CommandFailed(`${file} already exists in this folder: rename or delete it first`)
      cpSync(join(root, example.path), file, { recursive: true })
      const hint = file.endsWith('.ts') && isCommonJs(process.cwd()) ? `${moduleHint} ${example.hint}` : example.hint
      terminal.print(json ? JSON.stringify({ file }) : `Copied ${file}. ${hint}`)
    })
}

interface Example {
  readonly name: string
  readonly summary: string
  /** The file or folder, relative to the folder of all examples. */
  readonly path: string
  readonly hint: string
}

/** The next step after copying an example, keyed by the example's folder. */
const hints: Readonly<Record<string, string>> = {
  frameworks: 'docs/guides/frameworks.md explains how to run it',
  orders: 'Import it in your server',
  recipes: 'Import it in your server',
}

/** Returns the examples of the package. The tests in `testing` are one example, because they share a file. */
function findExamples(): Example[] {
  const files = ['', 'frameworks', 'orders', 'recipes', 'webhooks'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((file) => join(folder, file)),
  )
  return [
    ...files
      .filter((path) => path.endsWith('.ts'))
      .map((path) => ({
        name: path.slice(0, -'.ts'.length).replaceAll('\\', '/'),
        summary: summaryOf(path),
        path,
        hint: hints[dirname(path)] ?? `Run it with: node ${basename(path)}`,
      })),
    {
      name: 'testing',
      summary: 'Tests a shop with vitest and the sandbox.',
      path: 'testing',
      hint: 'Run the tests with: npm install -D vitest msw @opentelemetry/sdk-trace-base && npx vitest',
    },
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the first sentence of the comment at the start of a file. */
function summaryOf(path: string): string {
  const [comment = ''] = /^(\/\/.*\n)+/.exec(readFileSync(join(root, path), 'utf8')) ?? []
  const [sentence = ''] = comment
    .replace(/\n?\/\/ ?/g, ' ')
    .trim()
    .split(/(?<=\.) /)
  return sentence
}

/** The folder of the examples in the package. This module is in `dist`, or in `src/cli` before the build. */
const root = findFolder(dirname(fileURLToPath(import.meta.url)))

function findFolder(start: string): string {
  const folder = join(start, 'examples')
  return existsSync(folder) || dirname(start) === start ? folder : findFolder(dirname(start))
}

const moduleHint = 'Set "type": "module" in package.json, because Node otherwise runs this file as CommonJS.'

/** Returns whether Node treats `.ts` files in a folder as CommonJS. Current versions of `npm init` choose this type. */
function isCommonJs(folder: string): boolean {
  const path = join(folder, 'package.json')
  if (existsSync(path)) return /"type"\s*:\s*"commonjs"/.test(readFileSync(path, 'utf8'))
  return dirname(folder) !== folder && isCommonJs(dirname(folder))
}

function unknownExample(name: string, examples: readonly Example[]): UsageError {
  const { hint } = suggest(
    name,
    examples.map((example) => example.name),
  )
  return new UsageError(`There is no example with this name${hint || ': payments-client example lists all'}`)
}
