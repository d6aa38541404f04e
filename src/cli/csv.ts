import { UsageError } from './command.js'

export interface CsvRow {
  /** The number of the row's first line in the file. */
  readonly line: number
  readonly cells: readonly string[]
}

/** A cell, quoted or not, and the separator after it. */
const cellPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy

/**
 * Parses CSV as RFC 4180 specifies. Accepts line feeds without carriage returns. Skips empty lines.
 *
 * @param option The name of the option, for errors.
 * @throws {UsageError} The file has other separators or line ends, or a misplaced quote.
 */
export function parseCsv(text: string, option: string): CsvRow[] {
  const fail = (problem: string) => new UsageError(`${option}: ${problem}`)
  const [firstLine = ''] = text.split(/[\r\n]/, 1)
  const separator = [';', '\t', '|'].find((character) => firstLine.includes(character) && !firstLine.includes(','))
  if (separator !== undefined) {
    throw fail(`the columns are separated by ${separatorNames[separator]}: save the file with commas`)
  }
  const rows: CsvRow[] = []
  let cells: string[] = []
  let end = 0
  let [line, start] = [1, 1]
  for (const match of text.matchAll(cellPattern)) {
    const [cell, quoted, plain = '', separator] = match
    end = match.index + cell.length
    line += cell.split('\n').length - 1
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (separator === ',') continue
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: start, cells })
    cells = []
    start = line
  }
  if (end === text.length) return rows
  // Two characters can stop the pattern: a carriage return or a quote.
  const isCarriageReturn = /^[^"\n]*\r(?!\n)/.test(text.slice(end))
  throw fail(
    isCarriageReturn
      ? `line ${line} ends with a carriage return only: save the file with the line ends of Windows or Unix`
      : `the file is not valid CSV, because a quote in line ${line} is misplaced`,
  )
}

const separatorNames: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' }

/** Spreadsheets run a cell that starts with one of these characters as a formula, unless an apostrophe precedes it. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/

/** Formats a row as RFC 4180 specifies. Prevents spreadsheets from running cells as formulas. */
export function csvRow(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    const safe = typeof value === 'string' && formula.test(text) ? `'${text}` : text
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  })
  return `${cells.join(',')}\r\n`
}

/** Removes the apostrophe that `csvRow` adds before a formula. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell
}
