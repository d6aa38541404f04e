/**
 * Writes docs/project/conformance.md: each sentence of the specification that speaks of behaviour, and the test that shows it.
 *
 * `--check` writes nothing and fails when the page is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rows } from '../test/conformance/rows.js'
import { readTests } from '../test/conformance/tests.js'
import { cell } from './docs/markdown.js'

const file = 'docs/project/conformance.md'
const tests = new Map(readTests().map((test) => [test.id, test]))
const sentences = Object.values(rows).reduce((count, section) => count + Object.keys(section).length, 0)

const page = [
  '# Conformance',
  '',
  '<!-- Written by `npm run conformance` from test/conformance: do not edit. -->',
  '',
  `The ${sentences} statements of the service’s specification that speak of behaviour, section by section, each with the test that`,
  'shows it: the client asks, the sandbox answers, in process, over HTTP and through msw. ` … ` stands for words left out.',
  'Where the specification repeats itself, one test stands behind several statements. What it leaves open is listed in the',
  '[assumptions](assumptions.md).',
  '',
  ...Object.entries(rows).flatMap(([section, quotes]) => [
    `## ${section}`,
    '',
    '| the specification says | the test that shows it |',
    '|---|---|',
    ...Object.entries(quotes).map(([id, quote]) => `| ${cell(quote)} | ${linkTo(id)} |`),
    '',
  ]),
]
  .join('\n')
  .replace(/\n+$/, '\n')

if (process.argv.includes('--check')) {
  const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (written !== page) throw new Error(`${file} is out of date: run \`npm run conformance\``)
} else {
  writeFileSync(file, page)
}

function linkTo(id: string): string {
  const test = tests.get(id)
  if (!test) throw new Error(`No test shows ${id}`)
  return `[${cell(test.title)}](../../${test.file})`
}
