import type { Terminal } from './terminal.js'

/** An option of a command. */
export interface Option {
  /** What stands for its value in the help, e.g. `number`. */
  readonly value: string
  readonly help: string
  /** Whether it may be given several times. */
  readonly multiple?: true
}

type Options = Readonly<Record<string, Option>>

type Values<O extends Options> = {
  readonly [Name in keyof O]?: O[Name] extends { multiple: true } ? string[] : string
}

interface CommandOf<O extends Options> {
  /** One line for the list of commands. */
  readonly summary: string
  /** What comes after the name, e.g. `<id>`. */
  readonly operands?: readonly string[]
  readonly options: O
  /** What else to know, at the end of the help. */
  readonly notes: string
  /** Returns the exit code: 0 when all went well, 1 when not. */
  run(input: { values: Values<O>; operands: readonly string[] }, terminal: Terminal): Promise<number>
}

export type Command = CommandOf<Options>

/** A command, with its options typed. */
export function defineCommand<const O extends Options>(command: CommandOf<O>): Command {
  return command as unknown as Command
}

/** The user asked for something that cannot be done: exit code 2. */
export class UsageError extends Error {}

/** A whole number within bounds. */
export function wholeNumber(option: string, text: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= minimum && number <= maximum) return number
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  throw new UsageError(`${option} must be a whole number ${bounds}`)
}

/** An environment variable that the command cannot do without. */
export function required(terminal: Terminal, name: string): string {
  const value = terminal.env[name]
  if (value) return value
  throw new UsageError(`Set the environment variable ${name}`)
}
