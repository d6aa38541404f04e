import * as contract from '../../src/contract/index.js'
import type { AnyOperation } from '../../src/contract/operation.js'
import { anchor } from './markdown.js'
import { type Method, methodNames, methodOf, tableOf, typeNames, typeSection } from './types.js'

const notice = '<!-- Written by `npm run docs` from src/contract and the public types: do not edit. -->'

/** Every method of the client, and every type that is sent or received. */
export function reference(): string {
  const operations = new Map(operationsIn(contract).map((operation) => [operation.name, operation]))
  const sections = methodNames().map((name) => ({ name, operation: operations.get(name) }))
  return [
    '# Reference',
    '',
    notice,
    '',
    'Every endpoint of the service, as a method of the client. *Scope* is what the API key needs; where there is none, the',
    'specification does not say. *Sent again* says whether the client may repeat it after an ambiguous failure: see',
    '[retries and idempotency](retries-and-idempotency.md).',
    '',
    '| method | HTTP | scope | class | sent again | |',
    '|---|---|---|---|---|---|',
    ...sections.flatMap(({ operation }) => (operation ? [row(operation)] : [])),
    '',
    'Beyond the endpoints:',
    '',
    ...sections.flatMap(({ name, operation }) => (operation ? [] : [`- [\`${name}\`](#${anchor(name)})`])),
    '',
    ...sections.flatMap(({ name, operation }) => section(name, operation)),
    '## Types',
    '',
    'A `?` marks a field that may be left out. Enumerations are open: the values named are the known ones, others pass.',
    '',
    ...typeNames().flatMap(typeSection),
  ]
    .join('\n')
    .replace(/\n+$/, '\n')
}

/** Operations, wherever they stand in the contract. */
function operationsIn(part: object): AnyOperation[] {
  return Object.values(part).flatMap((entry) => ('method' in entry ? [entry as AnyOperation] : operationsIn(entry)))
}

function row(operation: AnyOperation): string {
  const { name, method, path, scope, summary, beta } = operation
  const cells = [
    `[\`${name}\`](#${anchor(name)})`,
    `${method} ${path}`,
    scope ? `\`${scope}\`` : '–',
    operation.class,
    sentAgain(operation),
    `${summary}${beta ? ' (beta)' : ''}`,
  ]
  return `| ${cells.join(' | ')} |`
}

function sentAgain(operation: AnyOperation): string {
  if (operation.class === 'keyed') return 'under the same key'
  if (operation.class === 'once') return operation.resendable ? 'with `resend: true`' : 'never'
  return operation.onceIf ? 'unless `verify`' : 'yes'
}

function section(name: string, operation: AnyOperation | undefined): string[] {
  const method = methodOf(name, '2021-09-27')
  return [
    `### ${name}`,
    '',
    `\`client.${method.call}\`${operation ? ` → \`${operation.method} ${operation.path}\`` : ''}`,
    '',
    method.text,
    '',
    ...(operation ? details(operation, method, methodOf(name, '2.1')) : []),
  ]
}

function details({ query }: AnyOperation, old: Method, current: Method): string[] {
  const kind = query ? 'Parameters' : 'Body'
  return [
    ...(old.input ? [`**${kind}**: ${old.input.text}`, '', ...tableOf(old.input.type, query?.names), ''] : []),
    ...(current.input && current.input.name !== old.input?.name
      ? [`**${kind} in version \`2.1\`**: ${current.input.text}`, '', ...tableOf(current.input.type), '']
      : []),
    `**Returns** ${old.result}${current.result === old.result ? '' : `; in version \`2.1\` ${current.result}`}.`,
    '',
  ]
}
