import { parseArgs } from 'node:util'
import { ConfigurationError, PaymentsError, RequestValidationError } from '../errors.js'
import { describeIssues, nearest } from '../internal/issues.js'
import { boolean, checkOptions, type Rule, string } from '../internal/options.js'
import { version } from '../version.js'
import { type Command, type Option, UsageError } from './command.js'
import { commandHelp, overview } from './help.js'
import { paymentsGet, paymentsList } from './payments.js'
import { sandbox } from './sandbox.js'
import { sql } from './sql.js'
import type { Terminal } from './terminal.js'
import { webhooksDiagnose, webhooksSend } from './webhooks.js'

const commands: Readonly<Record<string, Command>> = {
  sandbox,
  'webhooks send': webhooksSend,
  'webhooks diagnose': webhooksDiagnose,
  'payments list': paymentsList,
  'payments get': paymentsGet,
  sql,
}

/**
 * Runs a command line.
 *
 * @param args The arguments after the program's name.
 * @returns The exit code: 0 success, 1 failure, 2 invalid command line or environment variable, 130 interrupted.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(args, terminal)
  } catch (error) {
    if (terminal.interrupted.aborted) return 130
    terminal.note(...describe(error).split('\n'))
    return usageErrors.some((type) => error instanceof type) ? 2 : 1
  }
}

/** Errors that the user can fix in the command line or the environment. The exit code is 2. */
const usageErrors = [UsageError, ConfigurationError, RequestValidationError]

/** Returns the message of an error from the SDK or the system, or the stack of an unexpected error. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isExpected = error instanceof UsageError || error instanceof PaymentsError || 'syscall' in error
  return isExpected ? error.message : (error.stack ?? error.message)
}

async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args
  if (first === undefined || ['--help', '-h', 'help'].includes(first)) {
    terminal.print(...overview(commands))
    return first === undefined ? 2 : 0
  }
  if (first === '--version') {
    terminal.print(version)
    return 0
  }
  const { name, command, rest } = findCommand(args)
  const { help, values, operands } = parse(command, rest)
  if (help) {
    terminal.print(...commandHelp(name, command))
    return 0
  }
  if (operands.length !== (command.operands ?? []).length) {
    const expected = ['payments-client', name, ...(command.operands ?? [])].join(' ')
    throw new UsageError(`Wrong number of arguments. Expected: ${expected}`)
  }
  return command.run({ values, operands }, terminal)
}

/** Finds the command. Its name is the first argument, or the first two. */
function findCommand(args: readonly string[]): { name: string; command: Command; rest: readonly string[] } {
  for (const count of [1, 2]) {
    const name = args.slice(0, count).join(' ')
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command) return { name, command, rest: args.slice(count) }
  }
  const words = args.filter((word) => !word.startsWith('-'))
  const name = words.slice(0, 2).join(' ')
  const suggestion = nearest(name, Object.keys(commands))
  const hint = suggestion === undefined ? '' : `Did you mean "${suggestion}"? `
  throw new UsageError(`Unknown command "${name}". ${hint}See payments-client --help for all commands`)
}

/** Parses and checks the arguments after a command's name. */
function parse({ options }: Command, args: readonly string[]) {
  const types = mapValues(options, ({ value, multiple = false }) =>
    value === undefined ? ({ type: 'boolean' } as const) : ({ type: 'string', multiple } as const),
  )
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...types, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    strict: false,
  })
  const given = mapValues(values, (value, name) => (options[name]?.number ? toNumber(value) : value))
  const rules = { ...mapValues(options, ruleOf), help: boolean }
  const { issues } = checkOptions(withDashes(given), withDashes(rules))
  if (issues.length > 0) throw new UsageError(describeIssues(issues))
  return { help: given['help'] === true, values: given as never, operands: positionals }
}

function ruleOf({ value, rule = value === undefined ? boolean : string, multiple }: Option): Rule {
  if (!multiple) return rule
  return (values) => (values as unknown[]).map(rule).find((problem) => problem !== undefined)
}

/** Converts a string of digits to a number. Returns other strings unchanged, so that validation rejects them. */
function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
}

function withDashes<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${name}`, value]))
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, map: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
}
