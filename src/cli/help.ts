import type { Command } from './command.js'

const name = 'payments-client'

/** All commands. */
export function overview(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([words, { summary }]) => [words, summary] as const)
  return [
    `Usage: ${name} <command> [options]`,
    '',
    'Commands:',
    ...table(rows),
    '',
    `${name} <command> --help explains a command. --version prints the version.`,
    'Exit codes: 0 all went well, 1 it failed, 2 the command line or the environment is wrong.',
  ].join('\n')
}

/** One command. */
export function explanation(words: string, { summary, operands = [], options, notes }: Command): string {
  const rows = Object.entries(options).map(([option, { value, help }]) => [`--${option} <${value}>`, help] as const)
  return [
    ['Usage:', name, words, ...operands, '[options]'].join(' '),
    '',
    `${summary}.`,
    '',
    'Options:',
    ...table([...rows, ['--help', 'Explain this command']]),
    '',
    notes,
  ].join('\n')
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
