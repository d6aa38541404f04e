import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

export const signingSecret = 'whsec-of-the-framework-tests'
export const folder = resolve('test/frameworks')
export const apps = resolve(folder, '.apps')

export interface App {
  readonly url: string
  readonly printed: () => string
  /** Ends the app with the given signal or SIGKILL. Returns its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

interface StartOptions {
  /** @default Node.js */
  program?: string
  cwd?: string
  env?: Readonly<Record<string, string>>
}

/** The environment variables for tests that do not call the service. No server listens at this base URL. */
export const account = { PAYMENTS_BASE_URL: 'http://localhost:4010', PAYMENTS_API_KEY: 'key-of-the-framework-tests' }

/** Starts a program in a separate process, and waits until it prints its port. */
export async function start(
  args: readonly string[],
  { program = process.execPath, cwd = apps, env = {} }: StartOptions = {},
): Promise<App> {
  const child = spawn(resolve(program), args, {
    cwd,
    env: { ...process.env, PORT: '0', PAYMENTS_WEBHOOK_SECRET: signingSecret, ...account, ...env },
  })
  let printed = ''
  const port = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk
      const found = /port: (\d+)|http:\/\/(?:localhost|0\.0\.0\.0):(\d+)/.exec(printed)
      if (found) resolve((found[1] ?? found[2]) as string)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`exited with ${code} before listening:\n${printed}`)))
  })
  return { url: `http://localhost:${await port}`, printed: () => printed, stop: (signal) => stop(child, signal) }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
  return child.exitCode
}
