import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { actions } from '../../src/testing/sandbox/control/actions.js'
import { views } from '../../src/testing/sandbox/control/views.js'
import { type ScenarioName, scenarioNames, tokens } from '../../src/testing/sandbox/internal/scenarios.js'
import { toJsonSchema } from '../../src/testing/sandbox/internal/schema.js'

/** Returns docs/guides/sandbox.md with the table of scenarios. */
export function sandboxGuide(page: string): string {
  return withTable(page, 'scenarios', scenarioRows())
}

/** Returns docs/reference/control-api.md with the tables of routes and actions. */
export function controlApiPage(page: string): string {
  return withTable(withTable(page, 'routes', routeRows()), 'actions', actionRows())
}

function scenarioRows(): string {
  const source = readFileSync('src/testing/sandbox/internal/scenarios.ts', 'utf8')
  const summaryOf = (name: ScenarioName) => {
    const [, summary] =
      new RegExp(`/\\*\\*\\s+(?:\\* )?([^*]*?)\\s+\\*/\n  readonly ${name}: string`).exec(source) ?? []
    if (summary === undefined) throw new Error(`The scenario ${name} needs a comment that describes it`)
    return summary
  }
  const rows = scenarioNames.map((name) => `| \`${name}\` | \`${tokens[name]}\` | ${summaryOf(name)} |`)
  return ['| Scenario | Token | Behaviour |', '|---|---|---|', ...rows].join('\n')
}

function routeRows(): string {
  const rows = Object.entries(views).map(([path, { summary, input, output }]) => {
    const parameters = Object.keys(input).map((name) => `\`${name}\``)
    const result = path === 'events' ? '[server-sent events](#events)' : fieldsOf(output)
    return `| \`GET ${path}\` | ${summary} | ${parameters.join(', ')} | ${result} |`
  })
  return ['| Request | Meaning | Parameters | Response |', '|---|---|---|---|', ...rows].join('\n')
}

function actionRows(): string {
  const rows = Object.entries(actions).map(([name, { summary, input, output }]) => {
    const fields = name === 'addFault' ? 'the fields of a fault' : fieldsOf(z.object(input))
    return `| \`${name}\` | ${summary} | ${fields} | ${fieldsOf(output)} |`
  })
  return ['| Action | Effect | Arguments | Result |', '|---|---|---|---|', ...rows].join('\n')
}

function fieldsOf(schema: z.ZodMiniType): string {
  const { properties = {}, required = [] } = toJsonSchema(schema)
  const names = Object.keys(properties as object)
  return code(names.map((name) => ((required as string[]).includes(name) ? name : `${name}?`)))
}

function code(names: readonly string[]): string {
  return names.length === 0 ? '' : `\`{ ${names.join(', ')} }\``
}

function withTable(page: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`]
  const [head, tail] = [page.indexOf(start), page.indexOf(end)]
  if (head === -1 || tail === -1) throw new Error(`The comments around the table "${name}" are missing`)
  return `${page.slice(0, head + start.length)}\n${table}\n${page.slice(tail)}`
}
