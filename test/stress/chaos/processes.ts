import { type ChildProcess, fork } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A process that is ready for work. */
export interface ReadyProcess {
  readonly id: string
  /** The port of its server, if it has one. */
  readonly port: number
  readonly child: ChildProcess
}

/** A message from a process to its parent. */
export type Report = { readonly port: number } | { readonly error: string }

const stores = fileURLToPath(new URL('../../stores/', import.meta.url))

/** Bundles a program of this folder with its drivers, so that processes start quickly. Returns the path of the bundle. */
export async function compile(name: 'receiver' | 'worker' | 'service' | 'seller'): Promise<string> {
  const outfile = join(stores, `node_modules/.chaos/${name}.mjs`)
  await build({
    entryPoints: [fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // Prisma's generated client loads its files from its own folder.
    external: ['pg-native', '@prisma/client', '@prisma/adapter-pg'],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    plugins: [
      {
        name: 'drivers',
        setup({ onLoad }) {
          const contents = `const load = {
            pg: () => require('pg'),
            redis: () => require('@redis/client'),
            '@prisma/client': () => require('@prisma/client'),
            '@prisma/adapter-pg': () => require('@prisma/adapter-pg'),
          }
          export const driver = (name) => load[name]()`
          onLoad({ filter: /drivers\.ts$/ }, () => ({ contents, resolveDir: stores }))
        },
      },
    ],
  })
  return outfile
}

/** Starts a program, which exits when its parent does. */
export function start(program: string, ...parameters: string[]): ChildProcess {
  return fork(program, parameters, { execArgv: [], env: { ...process.env, NODE_COMPILE_CACHE: dirname(program) } })
}

/** Processes that run one program. Each is replaced when it exits. */
export class Processes {
  readonly running: ReadyProcess[] = []
  /** The time at which each process was killed, by process id. */
  readonly killedAt = new Map<string, number>()
  /** The number of reports of each error. */
  readonly errors = new Map<string, number>()
  readonly #program: string
  readonly #parameters: readonly string[]
  readonly #count: number
  readonly #alive = new Set<ChildProcess>()
  #started = 0
  #stopped = false

  constructor(program: string, parameters: readonly string[], count: number) {
    this.#program = program
    this.#parameters = parameters
    this.#count = count
    for (let index = 0; index < count; index++) this.#start()
  }

  get started(): number {
    return this.#started
  }

  random(): ReadyProcess | undefined {
    return this.running[Math.floor(Math.random() * this.running.length)]
  }

  /** Kills a random process with SIGKILL if at least half of the processes are ready. Returns whether it did. */
  killOne(): boolean {
    const victim = this.random()
    if (!victim || this.running.length * 2 < this.#count) return false
    this.#remove(victim)
    victim.child.kill('SIGKILL')
    this.killedAt.set(victim.id, Date.now())
    return true
  }

  /** Kills all processes, and waits until they have exited. */
  async stop(): Promise<void> {
    this.#stopped = true
    const exits = [...this.#alive].map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of this.#alive) child.kill('SIGKILL')
    await Promise.all(exits)
  }

  #start(): void {
    const id = String(++this.#started)
    const child = start(this.#program, ...this.#parameters, id)
    this.#alive.add(child)
    let ready: ReadyProcess | undefined
    child.on('message', (report: Report) => {
      if ('error' in report) this.errors.set(report.error, (this.errors.get(report.error) ?? 0) + 1)
      else {
        ready = { id, port: report.port, child }
        this.running.push(ready)
      }
    })
    child.on('exit', () => {
      this.#alive.delete(child)
      if (ready) this.#remove(ready)
      if (!this.#stopped) this.#start()
    })
  }

  #remove(exited: ReadyProcess): void {
    const index = this.running.indexOf(exited)
    if (index >= 0) this.running.splice(index, 1)
  }
}
