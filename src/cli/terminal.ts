import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { clearLine, cursorTo } from 'node:readline'
import { unicodeEscape } from '../core/internal/escape.js'

export interface Terminal {
  /** Writes results to standard output, for other programs. */
  print(...lines: string[]): void
  /** Writes results to standard output unchanged. Resolves when the reader of a pipe can accept more. */
  write(text: string): Promise<void>
  /** Writes progress, explanations and errors to standard error, for people. */
  note(...lines: string[]): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reads a file, or standard input for `-`. */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>
  open(url: string): void
  /** Loads a package that is installed in the current folder. Returns undefined if the package is not installed. */
  load(name: string): unknown
  /** Aborts on SIGINT and SIGTERM, and when npx is terminated. */
  readonly interrupted: AbortSignal
  /** The width of the terminal in characters. Undefined if standard output is not a terminal. */
  readonly columns?: number | undefined
  /** Replaces the current line of standard error. Undefined if standard error is not a terminal. */
  readonly redraw?: ((line: string) => void) | undefined
}

export function processTerminal(): Terminal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  if (process.env['npm_command'] === 'exec') abortWithParent(interrupted)
  return {
    print: (...lines) => writeLines(process.stdout, lines),
    write: async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, 'drain', { signal: interrupted.signal })
    },
    note: (...lines) => writeLines(process.stderr, lines),
    env: process.env,
    read: (path) => (path === '-' ? readAll(process.stdin) : readFile(path)),
    open: openInBrowser,
    load: loadPackage,
    interrupted: interrupted.signal,
    columns: process.stdout.columns,
    redraw: process.stderr.isTTY ? redraw : undefined,
  }
}

const parentCheckIntervalMs = 500

/** Aborts when the parent process ends. npx sends SIGTERM only to its shell, which does not forward the signal. */
function abortWithParent(controller: AbortController): void {
  const parent = process.ppid
  const check = () => {
    if (process.ppid !== parent) controller.abort()
  }
  setInterval(check, parentCheckIntervalMs).unref()
}

function redraw(line: string): void {
  cursorTo(process.stderr, 0)
  clearLine(process.stderr, 1)
  process.stderr.write(escapeControls(line).slice(0, (process.stderr.columns || 80) - 1))
}

/** Loads a package. Returns undefined if the package is missing, but throws if it fails to load. */
function loadPackage(name: string): unknown {
  const require = createRequire(join(process.cwd(), 'package.json'))
  try {
    require.resolve(name)
  } catch {
    return undefined
  }
  return require(name)
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

function openInBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  // Ignores a missing browser, because the user can open the printed URL elsewhere.
  child.on('error', () => undefined).unref()
}

function writeLines(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  for (const line of lines) stream.write(`${escapeControls(line)}\n`)
}

/**
 * Escapes control characters (C0, DEL, C1) and bidirectional controls as in JSON, for example `\u001b`. Unescaped, data
 * from the service could control the terminal or reorder the displayed text.
 */
export function escapeControls(line: string): string {
  return line.replace(/[\p{Cc}\p{Bidi_Control}]/gu, unicodeEscape)
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
