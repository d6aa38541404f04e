import { type ParseArgsConfig, parseArgs } from 'node:util'
import { ConfigurationError, PaymentsError, RequestValidationError } from '../errors.js'
import { nearest } from '../internal/suggestions.js'
import { version } from '../version.js'
import { type Command, UsageError } from './command.js'
import { explanation, overview } from './help.js'
import { paymentsGet } from './payments-get.js'
import { paymentsList } from './payments-list.js'
import { sandbox } from './sandbox.js'
import type { Terminal } from './terminal.js'
import { webhooksDiagnose } from './webhooks-diagnose.js'
import { webhooksSend } from './webhooks-send.js'

const commands: Readonly<Record<string, Command>> = {
  sandbox,
  'webhooks send': webhooksSend,
  'webhooks diagnose': webhooksDiagnose,
  'payments list': paymentsList,
  'payments get': paymentsGet,
}

/**
 * Run a command line, the program's own name left out.
 *
 * @returns the exit code: 0 all went well, 1 it failed, 2 the command line or the environment is wrong
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await obey(args, terminal)
  } catch (error) {
    if (!isExplained(error)) throw error
    terminal.note(error.message)
    return mistakes.some((kind) => error instanceof kind) ? 2 : 1
  }
}

/** Errors that only another command line or another environment helps against. */
const mistakes = [UsageError, ConfigurationError, RequestValidationError]

/** Whether the message says enough: ours do, and those of the system, such as a file that is not there. */
function isExplained(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof PaymentsError || (error instanceof Error && 'syscall' in error)
}

async function obey(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args
  if (first === undefined || ['--help', '-h', 'help'].includes(first)) {
    terminal.print(overview(commands))
    return first === undefined ? 2 : 0
  }
  if (first === '--version') {
    terminal.print(version)
    return 0
  }
  const [words, command, rest] = find(args)
  const { values, positionals } = parse(words, command, rest)
  if (values['help'] === true) {
    terminal.print(explanation(words, command))
    return 0
  }
  const { operands = [] } = command
  if (positionals.length !== operands.length) {
    throw new UsageError(`Expected: payments-client ${[words, ...operands].join(' ')}`)
  }
  return command.run({ values: values as never, operands: positionals }, terminal)
}

/** The command that the first one or two words name, and what comes after. */
function find(args: readonly string[]): [words: string, command: Command, rest: readonly string[]] {
  for (const count of [1, 2]) {
    const words = args.slice(0, count).join(' ')
    const command = Object.hasOwn(commands, words) ? commands[words] : undefined
    if (command) return [words, command, args.slice(count)]
  }
  const words = args
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ')
  const suggestion = nearest(words, Object.keys(commands))
  throw new UsageError(
    `Unknown command "${words}". ${suggestion ? `Did you mean "${suggestion}"? ` : ''}See payments-client --help`,
  )
}

function parse(words: string, command: Command, args: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { multiple }] of Object.entries(command.options)) {
    options[name] = { type: 'string', multiple: !!multiple }
  }
  refuseUnknown(words, args, options)
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function refuseUnknown(words: string, args: readonly string[], options: NonNullable<ParseArgsConfig['options']>): void {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue
    const suggestion = nearest(token.name, Object.keys(options))
    const help = suggestion ? `Did you mean '--${suggestion}'?` : `See payments-client ${words} --help`
    throw new UsageError(`Unknown option '${token.rawName}'. ${help}`)
  }
}
