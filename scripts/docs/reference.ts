import * as contract from '../../src/contract/index.js'
import type { AnyOperation } from '../../src/contract/operation.js'
import { anchor } from './markdown.js'
import {
  classSection,
  clientInput,
  errorSection,
  functionSection,
  type Input,
  type Method,
  methodNames,
  methodOf,
} from './members.js'
import { classes, exported, functions, webhookNames } from './program.js'
import { shownAt, tableOf, typeNames, typeSection } from './types.js'

const notice = '<!-- Written by `npm run docs` from src/contract and the public types: do not edit. -->'

/** Everything that `payments-client` exports: methods first, types last. */
export function reference(): string {
  const operations = new Map(operationsIn(contract).map((operation) => [operation.name, operation]))
  const sections = methodNames().map((name) => ({ name, operation: operations.get(name) }))
  return [
    '# Reference',
    '',
    notice,
    '',
    'What `payments-client` exports: the methods of the client, [lists and answers](#lists-and-answers),',
    '[helpers](#helpers), [webhooks](#webhooks), [errors](#errors) and [types](#types). The other entry points:',
    '`payments-client/webhooks` has the webhooks alone, `payments-client/schemas` the zod schemas of the types,',
    '`payments-client/sandbox` and `payments-client/msw` [the sandbox](../guides/sandbox.md).',
    '',
    '## Methods',
    '',
    'Every endpoint of the service, as a method of the client. *Scope* is what the API key needs; where there is none, the',
    'specification does not say. *Sent again* says whether the client may repeat it after an ambiguous failure: see',
    '[safe retries](../guides/retries-and-idempotency.md).',
    '',
    '| method | HTTP | scope | class | sent again | |',
    '|---|---|---|---|---|---|',
    ...sections.flatMap(({ operation }) => (operation ? [row(operation)] : [])),
    '',
    'Beyond the endpoints:',
    '',
    ...sections.flatMap(({ name, operation }) => (operation ? [] : [`- [\`${name}\`](#${anchor(name)})`])),
    '',
    'Any call may throw what [errors](#errors) lists; the sections below name what is special.',
    '',
    ...constructorSection(),
    ...sections.flatMap(({ name, operation }) => section(name, operation)),
    '## Lists and answers',
    '',
    ...namesOf(classes, isPlainClass).flatMap(classSection),
    '## Helpers',
    '',
    ...namesOf(functions, (name) => !webhookNames.has(name)).flatMap(functionSection),
    '## Webhooks',
    '',
    'In the namespace `webhooks`, and in `payments-client/webhooks` by themselves. How to use them:',
    '[webhooks](../guides/webhooks.md).',
    '',
    ...namesOf(functions, (name) => webhookNames.has(name)).flatMap(functionSection),
    '## Errors',
    '',
    'What they mean, and what to do: [errors](../guides/errors.md).',
    '',
    ...namesOf(classes, isError).flatMap(errorSection),
    '## Types',
    '',
    'A `?` marks a field that may be left out. Enumerations are open: the values named are the known ones, others pass.',
    '',
    ...typeNames(exported.keys()).flatMap(typeSection),
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

function constructorSection(): string[] {
  return [
    '### PaymentsClient',
    '',
    '`new PaymentsClient(options?)`',
    '',
    ...inputOf('PaymentsClient', clientInput(), 'Options'),
    `Its namespaces have types too, for functions that take one: ${namesOf(classes, isNamespace)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
    '',
  ]
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
    ...details(name, operation, method, methodOf(name, '2.1')),
  ]
}

function details(name: string, operation: AnyOperation | undefined, old: Method, current: Method): string[] {
  const kind = operation?.query ? 'Parameters' : capitalized(old.input?.parameter ?? '')
  const spelling = operation?.query?.names
  return [
    ...(old.input ? inputOf(name, old.input, kind, spelling) : []),
    ...(current.input && current.input.name !== old.input?.name
      ? inputOf(name, current.input, `${kind} in version \`2.1\``)
      : []),
    ...(old.options ? [`**Options**: ${old.options}.`, ''] : []),
    `**Returns** ${old.result}${current.result === old.result ? '' : `; in version \`2.1\` ${current.result}`}.`,
    '',
    ...old.throws.flatMap((each) => [`**Throws** ${each}`, '']),
  ]
}

/** What is taken, field by field, or where that was said before. */
function inputOf(owner: string, input: Input, kind: string, spelling?: Readonly<Record<string, string>>): string[] {
  const place = shownAt.get(input.name)
  if (place !== undefined) return [`**${kind}** (\`${input.name}\`): as for [\`${place}\`](#${anchor(place)}).`, '']
  shownAt.set(input.name, owner)
  return [`**${kind}** (\`${input.name}\`): ${input.text}`, '', ...tableOf(input.type, spelling), '']
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function namesOf(things: ReadonlyMap<string, unknown>, belongs: (name: string) => boolean): string[] {
  return [...things.keys()].filter(belongs)
}

function isError(name: string): boolean {
  return name.endsWith('Error')
}

function isNamespace(name: string): boolean {
  return classes.get(name)!.getSourceFile().fileName.includes('/resources/')
}

function isPlainClass(name: string): boolean {
  return name !== 'PaymentsClient' && !isError(name) && !isNamespace(name)
}
