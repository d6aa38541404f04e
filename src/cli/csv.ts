/**
 * Parses CSV as RFC 4180 specifies. Accepts line feeds without carriage returns, and a byte order mark. Skips empty
 * lines. Returns undefined if the text contains a misplaced quote.
 */
export function parseCsv(text: string): string[][] | undefined {
  const rows: string[][] = []
  let row: string[] = []
  let end = 0
  const content = text.replace(/^\uFEFF/, '')
  // Each match is a cell, quoted or not, and the separator after it.
  for (const match of content.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy)) {
    const [{ length }, quoted, plain = '', separator] = match
    end = match.index + length
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (separator === ',') continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  return end === content.length ? rows : undefined
}
