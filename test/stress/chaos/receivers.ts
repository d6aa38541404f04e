import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Engine } from './effects.js'

/** A receiver process. */
export interface Receiver {
  readonly id: string
  readonly port: number
  readonly child: ChildProcess
}

/** Compiles the receiver, because `tsx` would compile it at each start. Drivers are loaded from `test/stores`. */
export async function compileReceiver(): Promise<string> {
  const outfile = fileURLToPath(new URL('../../stores/node_modules/.chaos/receiver.mjs', import.meta.url))
  const entry = fileURLToPath(new URL('programs/receiver.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  return outfile
}

/** Receiver processes that are started again when they die. */
export class Receivers {
  readonly running: Receiver[] = []
  /** Ids of the processes that were killed. */
  readonly killed = new Set<string>()
  /** How often each error was reported. */
  readonly errors = new Map<string, number>()
  readonly #program: string
  readonly #arguments: string[]
  #started = 0
  #stopped = false

  constructor(program: string, engine: Engine, url: string, count: number) {
    this.#program = program
    this.#arguments = [engine, url]
    for (let index = 0; index < count; index++) this.#start()
  }

  get started(): number {
    return this.#started
  }

  random(): Receiver | undefined {
    return this.running[Math.floor(Math.random() * this.running.length)]
  }

  /** Kills a random process with SIGKILL. */
  killOne(): void {
    const receiver = this.random()
    if (!receiver) return
    this.killed.add(receiver.id)
    this.#remove(receiver)
    receiver.child.kill('SIGKILL')
  }

  stop(): void {
    this.#stopped = true
    for (const { child } of this.running) child.kill('SIGKILL')
  }

  #start(): void {
    const id = String(++this.#started)
    const child = fork(this.#program, [...this.#arguments, id], { execArgv: [] })
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
