import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import type * as z from 'zod'
import { custom, integer, problemWith } from '../core/internal/validation.js'
import { isWebAddress } from '../testing/sandbox/internal/web-address.js'
import type { Terminal } from './terminal.js'

/** Adds a group of commands, with an example of one of them. */
export function addGroup(program: Command, name: string, description: string, example: string) {
  return program.command(name).description(description).addHelpText('after', exampleText(example))
}

const exampleText = (example: string) => `\nExample:\n  payments-client ${example}`

/**
 * Adds a command with the option `--json` and an example.
 *
 * Chain `.option('--port <number>', 'Help text', parser)` to define further options. Commander infers the type of each
 * option's value from its flags and its parser.
 *
 * @param usage The command's name and operands, for example `get <id>`.
 * @param example The arguments of the example, after the program's name.
 */
export function addCommand<Usage extends string>(parent: Command, usage: Usage, summary: string, example: string) {
  return parent
    .command(usage)
    .summary(summary)
    .description(`${summary}.`)
    .option('--json', 'Print JSON for programs')
    .addHelpText('after', exampleText(example))
}

/** Returns a parser that checks the value of an option. @param convert Converts the text before the check. */
export function checked(schema: z.ZodType, convert: (value: string) => unknown = (value) => value) {
  return (value: string): string => {
    const problem = problemWith(schema, convert(value))
    if (problem) throw new InvalidArgumentError(`It ${problem.message}.`)
    return value
  }
}

export function integerFrom(min: number, max?: number): (value: string) => number {
  const parse = checked(integer(min, max), (value) => (/^\d+$/.test(value) ? Number(value) : undefined))
  return (value) => Number(parse(value))
}

/** Returns a parser that collects the values of an option that can be passed several times. */
export function collected(schema: z.ZodType): (value: string, previous: readonly string[] | undefined) => string[] {
  return (value, previous = []) => [...previous, checked(schema)(value)]
}

/** The command failed. The message is empty if the command has already printed the reason. The exit code is 1. */
export class CommandFailed extends Error {}

/** A mistake in the command line or the environment. The exit code is 2. */
export class UsageError extends Error {}

export const httpUrl = custom<string>(
  (value) => isWebAddress(String(value)),
  'must be a URL without credentials, such as http://localhost:3000/webhooks',
)

export function requiredVariable(terminal: Terminal, name: string): string {
  const value = terminal.env[name]
  if (value) return value
  throw new UsageError(`Set the environment variable ${name}`)
}
