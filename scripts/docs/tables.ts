import { readFileSync } from 'node:fs'
import { retryRules } from '../../src/core/internal/outcome.js'
import { actions } from '../../src/testing/sandbox/control/actions.js'
import { paging, views } from '../../src/testing/sandbox/control/views.js'
import { type ScenarioName, scenarioNames, tokens } from '../../src/testing/sandbox/internal/scenarios.js'

/** Returns docs/guides/sandbox.md with the list of scenarios. */
export function sandboxGuide(page: string): string {
  return withTable(page, 'scenarios', scenarioRows())
}

/** Returns docs/reference/control-api.md with the lists of routes and actions. */
export function controlApiPage(page: string): string {
  return withTable(withTable(page, 'routes', routeRows()), 'actions', actionRows())
}

/** Returns docs/reference/errors.md with the retry rules, grouped by their result. */
export function errorsPage(page: string): string {
  const groups = Map.groupBy(retryRules, ([, , outcome, isRetryable]) => {
    return `\`${outcome}\`, ${isRetryable ? 'may' : 'must not'} be retried`
  })
  const rows = [...groups].map(([result, rules]) => `- ${result}: ${rules.map(([ending]) => ending).join('; ')}`)
  return withTable(page, 'rules', rows.sort().join('\n'))
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
    const parameters = Object.keys(input.shape).filter((name) => !(name in paging))
    const filters = parameters.length > 0 ? ` by ${parameters.map((name) => `\`${name}\``).join(', ')}` : ''
    const result = 'limit' in input.shape ? '' : code(fields)
    return `- \`GET ${path}\`: ${summary.replace(', newest first', '')}${filters}${result && `: ${result}`}`
  })
  return rows.join('\n')
}

function actionRows(): string {
  const rows = Object.entries(actions).map(([name, { summary, input, fields }]) => {
    const inputs = Object.entries(input.shape).map(([key, field]) => (field.isOptional() ? `${key}?` : key))
    const given = name === 'addFault' ? '' : code(inputs.join(', '))
    return `- \`${name}\`${given && ` ${given}`}${fields && ` → ${code(fields)}`}: ${summary}`
  })
  return rows.join('\n')
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
