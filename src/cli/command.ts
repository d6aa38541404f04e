import { type Rule, rule } from '../internal/options.js'
import type { Terminal } from './terminal.js'

/** An option of a command. */
export interface Option {
  /** Placeholder for the value in the help text, for example `number`. Options without a placeholder are flags. */
  readonly value?: string
  readonly help: string
  /** Validates the value, or each value of a `multiple` option. @default accepts any string */
  readonly rule?: Rule
  /** Whether the value is converted to a number before the check. */
  readonly number?: true
  /** Whether the option can be given several times. */
  readonly multiple?: true
}

type Options = Readonly<Record<string, Option>>

type Values<O extends Options> = {
  readonly [Name in keyof O]?: O[Name] extends { multiple: true }
    ? string[]
    : O[Name] extends { number: true }
      ? number
      : O[Name] extends { value: string }
        ? string
        : boolean
}

interface CommandOf<O extends Options> {
  /** One-line summary for the list of commands. */
  readonly summary: string
  /** Placeholders for the positional arguments, for example `<id>`. */
  readonly operands?: readonly string[]
  readonly options: O
  /** The last paragraph of the help text. */
  readonly notes: readonly string[]
  /** Returns the exit code: 0 for success, 1 for failure. */
  run(input: { values: Values<O>; operands: readonly string[] }, terminal: Terminal): Promise<number>
}

export type Command = CommandOf<Options>

/** Infers the type of each option's value. */
export function defineCommand<const O extends Options>(command: CommandOf<O>): Command {
  return command as unknown as Command
}

/** A mistake in the command line or the environment. The exit code is 2. */
export class UsageError extends Error {}

/** Accepts an http or https URL. */
export const httpUrl: Rule = rule(
  (value) => URL.canParse(String(value)) && /^https?:$/.test(new URL(String(value)).protocol),
  'must be a URL, such as http://localhost:3000/webhooks',
)

/** Returns an environment variable that the command requires. */
export function requiredVariable(terminal: Terminal, name: string): string {
  const value = terminal.env[name]
  if (value) return value
  throw new UsageError(`Set the environment variable ${name}`)
}
