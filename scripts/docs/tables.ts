import { readFileSync } from 'node:fs'
import { retryRules } from '../../src/core/internal/outcome.js'
import { actions } from '../../src/testing/sandbox/control/actions.js'
import { views } from '../../src/testing/sandbox/control/views.js'
import { type ScenarioName, scenarioNames, tokens } from '../../src/testing/sandbox/internal/scenarios.js'

/** Returns docs/guides/sandbox.md with the list of scenarios. */
export function sandboxGuide(page: string): string {
  return withTable(page, 'scenarios', scenarioRows())
}

/** Returns docs/reference/control-api.md with the tables of routes and actions. */
export function controlApiPage(page: string): string {
  return withTable(withTable(page, 'routes', routeRows()), 'actions', actionRows())
}

/** Returns docs/reference/errors.md with the table of retry rules. */
export function errorsPage(page: string): string {
  const rows = retryRules.map(([ending, , outcome, isRetryable]) => {
    return `| ${ending} | \`${outcome}\` | ${isRetryable ? 'yes' : 'no'} |`
  })
  return withTable(page, 'rules', ['| Attempt | Outcome | May be retried |', '|---|---|---|', ...rows].join('\n'))
}

function scenarioRows(): string {
  const source = readFileSync('src/testing/sandbox/internal/scenarios.ts', 'utf8')
  const summaryOf = (name: ScenarioName) => {
    const [, summary] =
      new RegExp(`/\\*\\*\\s+(?:\\* )?([^*]*?)\\s+\\*/\n  readonly ${name}: string`).exec(source) ?? []
    if (summary === undefined) throw new Error(`The scenario ${name} needs a comment that describes it`)
    return summary
  }
  return scenarioNames.map((name) => `- \`${name}\` (\`${tokens[name]}\`): ${summaryOf(name)}`).join('\n')
}

function routeRows(): string {
  const rows = Object.entries(views).map(([path, { summary, input, fields }]) => {
    const parameters = Object.keys(input.shape).map((name) => `\`${name}\``)
    const result = path === 'events' ? '[server-sent events](#events)' : code(fields)
    return `| \`GET ${path}\` | ${summary} | ${parameters.join(', ')} | ${result} |`
  })
  return ['| Request | Meaning | Parameters | Response |', '|---|---|---|---|', ...rows].join('\n')
}

function actionRows(): string {
  const rows = Object.entries(actions).map(([name, { summary, input, fields }]) => {
    const inputs = Object.entries(input.shape).map(([key, field]) => (field.isOptional() ? `${key}?` : key))
    const given = name === 'addFault' ? 'the fields of a fault' : code(inputs.join(', '))
    return `| \`${name}\` | ${summary} | ${given} | ${code(fields)} |`
  })
  return ['| Action | Effect | Arguments | Result |', '|---|---|---|---|', ...rows].join('\n')
}

function code(names: string): string {
  return names === '' ? '' : `\`{ ${names} }\``
}

function withTable(page: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`]
  const [head, tail] = [page.indexOf(start), page.indexOf(end)]
  if (head === -1 || tail === -1) throw new Error(`The comments around the table "${name}" are missing`)
  return `${page.slice(0, head + start.length)}\n${table}\n${page.slice(tail)}`
}
