import type { Command } from './command.js'

const program = 'payments-client'

/** Formats the list of all commands. */
export function overview(commands: Readonly<Record<string, Command>>): string[] {
  return [
    `Usage: ${program} <command> [options]`,
    '',
    'Commands:',
    ...table(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    '',
    `${program} <command> --help shows the options of a command. ${program} --version prints the version.`,
    'Exit codes: 0 success, 1 failure, 2 invalid command line or environment variable, 130 interrupted.',
  ]
}

/** Formats the help of one command. */
export function commandHelp(name: string, { summary, operands = [], options, notes }: Command): string[] {
  const rows = Object.entries(options).map(
    ([option, { value, help }]) => [value === undefined ? `--${option}` : `--${option} <${value}>`, help] as const,
  )
  return [
    ['Usage:', program, name, ...operands, '[options]'].join(' '),
    '',
    `${summary}.`,
    '',
    'Options:',
    ...table([...rows, ['--help', 'Show this help']]),
    '',
    ...notes,
  ]
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
