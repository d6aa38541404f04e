import { type ChildProcess, fork } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Engine } from './effects.js'

export interface Receiver {
  readonly id: string
  readonly port: number
  readonly child: ChildProcess
}

/** Bundles the receiver with its drivers, so that processes start quickly. */
export async function compileReceiver(): Promise<string> {
  const stores = fileURLToPath(new URL('../../stores/', import.meta.url))
  const outfile = join(stores, 'node_modules/.chaos/receiver.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('programs/receiver.ts', import.meta.url))],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    plugins: [
      {
        name: 'drivers',
        setup({ onLoad }) {
          const contents = "export const driver = (name) => (name === 'pg' ? require('pg') : require('@redis/client'))"
          onLoad({ filter: /drivers\.ts$/ }, () => ({ contents, resolveDir: stores }))
        },
      },
    ],
  })
  return outfile
}

/** Receiver processes, each of which is replaced when it exits. */
export class Receivers {
  readonly running: Receiver[] = []
  /** The time at which each process was killed, by process id. */
  readonly killedAt = new Map<string, number>()
  /** The number of reports of each error. */
  readonly errors = new Map<string, number>()
  readonly #program: string
  readonly #arguments: string[]
  readonly #count: number
  #started = 0
  #stopped = false

  constructor(program: string, engine: Engine, url: string, count: number) {
    this.#program = program
    this.#arguments = [engine, url]
    this.#count = count
    for (let index = 0; index < count; index++) this.#start()
  }

  get started(): number {
    return this.#started
  }

  random(): Receiver | undefined {
    return this.running[Math.floor(Math.random() * this.running.length)]
  }

  /** Kills a random process with SIGKILL if at least half of the processes are running. */
  killOne(): void {
    const receiver = this.random()
    if (!receiver || this.running.length * 2 < this.#count) return
    this.#remove(receiver)
    receiver.child.kill('SIGKILL')
    this.killedAt.set(receiver.id, Date.now())
  }

  stop(): void {
    this.#stopped = true
    for (const { child } of this.running) child.kill('SIGKILL')
  }

  #start(): void {
    const id = String(++this.#started)
    const env = { ...process.env, NODE_COMPILE_CACHE: dirname(this.#program) }
    const child = fork(this.#program, [...this.#arguments, id], { execArgv: [], env })
    let receiver: Receiver | undefined
    child.on('message', ({ port, error }: { port?: number; error?: string }) => {
      if (error !== undefined) this.errors.set(error, (this.errors.get(error) ?? 0) + 1)
      if (port === undefined) return
      if (this.#stopped) child.kill('SIGKILL')
      receiver = { id, port, child }
      this.running.push(receiver)
    })
    child.on('exit', () => {
      if (receiver) this.#remove(receiver)
      if (!this.#stopped) this.#start()
    })
  }

  #remove(receiver: Receiver): void {
    const index = this.running.indexOf(receiver)
    if (index >= 0) this.running.splice(index, 1)
  }
}
