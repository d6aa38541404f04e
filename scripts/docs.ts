/**
 * Writes the generated parts of docs/: docs/reference/api.md from the contract and the public types, docs/api-report.md from
 * the type declarations, and the table of scenarios in docs/guides/sandbox.md.
 *
 * `--check` writes nothing and fails if a page is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { type ScenarioName, scenarioNames, tokens } from '../src/sandbox/internal/scenarios.js'
import { apiReport } from './docs/api-report.js'
import { reference } from './docs/reference.js'

const pages: Record<string, (before: string) => string> = {
  'docs/api-report.md': apiReport,
  'docs/reference/api.md': reference,
  'docs/guides/sandbox.md': (before) => withTable(before, 'scenarios', scenarioRows()),
}

for (const [file, write] of Object.entries(pages)) {
  const before = readFileSync(file, 'utf8')
  const after = write(before)
  if (after === before) continue
  if (process.argv.includes('--check')) throw new Error(`${file} is out of date: run \`npm run generate\``)
  writeFileSync(file, after)
}

function scenarioRows(): string {
  const source = readFileSync('src/sandbox/internal/scenarios.ts', 'utf8')
  const summaryOf = (name: ScenarioName) => {
    const [, summary] =
      new RegExp(`/\\*\\*\\s+(?:\\* )?([^*]*?)\\s+\\*/\n  readonly ${name}: string`).exec(source) ?? []
    if (summary === undefined) throw new Error(`The scenario ${name} needs a comment that describes it`)
    return summary
  }
  const rows = scenarioNames.map((name) => `| \`${name}\` | \`${tokens[name]}\` | ${summaryOf(name)} |`)
  return ['| Scenario | Token | Behaviour |', '|---|---|---|', ...rows].join('\n')
}

/** Replaces the table between two comments of a page. */
function withTable(page: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`]
  const [head, tail] = [page.indexOf(start), page.indexOf(end)]
  if (head === -1 || tail === -1) throw new Error(`The comments around the table "${name}" are missing`)
  return `${page.slice(0, head + start.length)}\n${table}\n${page.slice(tail)}`
}
