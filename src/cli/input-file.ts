import { UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/**
 * Reads a file that the user passes. Removes a byte order mark.
 *
 * @param option The name of the option, for errors.
 * @throws {UsageError} The file is empty or not UTF-8. The message contains the encoding that the file probably has.
 */
export async function readText(terminal: Terminal, path: string, option: string): Promise<string> {
  const bytes = await terminal.read(path)
  const fail = (problem: string) => new UsageError(`${option}: the file ${problem}`)
  if (bytes.length === 0) throw fail('is empty')
  // UTF-16 starts with a byte order mark and has a zero byte for each ASCII character.
  const [first, second] = bytes
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (isUtf16 || first === 0 || second === 0) throw fail('is UTF-16: save it as UTF-8')
  if (bytes.includes(0)) throw fail('is not a text file')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const line = lineOfInvalidByte(bytes)
    throw fail(`is not UTF-8, but probably Windows-1252 (see line ${line}): save it as UTF-8, in Excel as "CSV UTF-8"`)
  }
}

/** Returns the number of the first line that is not UTF-8. A line feed is never part of another character. */
function lineOfInvalidByte(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let start = 0
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start)
    try {
      decoder.decode(bytes.subarray(start, end < 0 ? bytes.length : end))
    } catch {
      return line
    }
    if (end < 0) return line
    start = end + 1
  }
}

/** Reads a file that must contain a JSON object. */
export async function readJsonObject(terminal: Terminal, path: string, option: string): Promise<object> {
  const text = await readText(terminal, path, option)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(`${option}: the file is not valid JSON: it must contain a JSON object`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageError(`${option}: the file must contain a JSON object, not ${describe(value)}`)
}

function describe(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
