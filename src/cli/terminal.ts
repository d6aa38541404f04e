import { readFile } from 'node:fs/promises'

/** What a command sees of the world. */
export interface Terminal {
  /** A line for other programs to read. */
  print(line: string): void
  /** A line for people: progress, explanations, errors. */
  note(line: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** The content of a file, or of the standard input for `-`. */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>
  /** Aborts when the user wants to stop. */
  readonly interrupted: AbortSignal
}

/** The terminal that this process was started from. */
export function processTerminal(): Terminal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    env: process.env,
    read: (path) => (path === '-' ? readAll(process.stdin) : readFile(path)),
    interrupted: interrupted.signal,
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
