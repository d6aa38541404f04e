import { escapeControls } from './terminal.js'

/**
 * Creates a function that formats rows as lines of a table. Later calls omit the header, and keep the column widths if
 * the new cells fit.
 */
export function createTable(...header: readonly string[]): (rows: readonly (readonly unknown[])[]) => string[] {
  const widths: number[] = []
  let pending: (readonly unknown[])[] = [header]
  return (rows) => {
    const cells = [...pending, ...rows].map((row) => row.map((cell) => escapeControls(String(cell ?? ''))))
    pending = []
    for (const row of cells) {
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
    }
    return cells.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
  }
}

export function describeFields(object: object): string[] {
  return createTable('FIELD', 'VALUE')(fieldsOf(object, ''))
}

function fieldsOf(value: unknown, path: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([key, child]) => {
    const step = Array.isArray(value) ? `[${key}]` : `${path && '.'}${key}`
    return fieldsOf(child, `${path}${step}`)
  })
}
