import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'

export const signingSecret = 'whsec-of-the-framework-tests'
export const folder = resolve('test/frameworks')
export const apps = resolve(folder, '.apps')

/** A running app: its address, and everything that it printed. */
export interface App {
  readonly url: string
  readonly printed: () => string
}

/** Starts a program in a process of its own and waits until it prints its port. */
export async function start(
  args: readonly string[],
  { cwd = apps, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<App> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, PORT: '0', PAYMENTS_WEBHOOK_SECRET: signingSecret, ...env },
  })
  onTestFinished(() => stop(child))
  let printed = ''
  const port = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk
      const found = /port: (\d+)|http:\/\/localhost:(\d+)/.exec(printed)
      if (found) resolve((found[1] ?? found[2]) as string)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`exited with ${code} before listening:\n${printed}`)))
  })
  return { url: `http://localhost:${await port}`, printed: () => printed }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
