import { ForksPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node'

type Listener = (...args: unknown[]) => void
type Run = Extract<WorkerRequest, { type: 'run' }>

/** A test process that can test one mutant after another. */
let idle: { process: ForksPoolWorker; runs: number } | undefined

/**
 * The number of mutants that one process tests. It is limited, because mutants may not stop their timers and sockets.
 */
const runsPerProcess = 100

/**
 * Runs the tests for one mutant, if possible in the process of an earlier mutant, because starting a process and
 * loading the code would take most of the time. After a test fails, does not load the other test files.
 */
export class ReusedProcess implements PoolWorker {
  readonly name = 'reused'
  readonly cacheFs = true
  readonly #process: ForksPoolWorker
  readonly #runs: number
  readonly #isReusable: boolean
  readonly #listeners: [event: string, Listener][] = []
  #pattern: RegExp | undefined
  #queued: Run[] = []
  #isFinished = false

  constructor(options: PoolOptions) {
    // Skips the remaining files after the first failure, after which vitest cancels the run.
    options.project.vitest.onCancel(() => {
      this.#queued = []
    })
    // A mutant of code that runs on load needs its own process.
    const { mutantActivation } = options.project.getProvidedContext() as { mutantActivation?: string }
    const { process, runs } = (mutantActivation === 'runtime' && idle) || {
      process: new ForksPoolWorker(options),
      runs: 0,
    }
    if (process === idle?.process) idle = undefined
    this.#process = process
    this.#runs = runs + 1
    this.#isReusable = mutantActivation === 'runtime' && this.#runs < runsPerProcess
  }

  async start(): Promise<void> {
    if (this.#runs === 1) await this.#process.start()
    this.#process.on('message', this.#receive)
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener])
    if (event !== 'message') this.#process.on(event, listener)
  }

  off(event: string, listener: Listener): void {
    this.#process.off(event, listener)
  }

  send(message: WorkerRequest): void {
    if (message.type === 'start') this.#pattern = message.context.config.testNamePattern
    if (message.type === 'start' && this.#runs > 1) setImmediate(this.#receive, response('started'))
    else if (message.type === 'stop' && this.#isReusable) {
      this.#isFinished = true
      setImmediate(this.#receive, response('stopped'))
    } else if (message.type === 'run') {
      // Sets the test name pattern of each file, because a reused process would keep the pattern of its first run.
      const files = message.context.files.map((file) => ({ ...file, testNamePattern: this.#pattern }))
      this.#queued = files.map((file) => ({ ...message, context: { ...message.context, files: [file] } }))
      this.#runNext()
    } else this.#process.send(message)
  }

  async stop(): Promise<void> {
    if (!this.#isFinished) return this.#process.stop()
    this.#process.off('message', this.#receive)
    for (const [event, listener] of this.#listeners) this.#process.off(event, listener)
    idle = { process: this.#process, runs: this.#runs }
  }

  deserialize(data: unknown): unknown {
    return data
  }

  readonly #receive = (message: { type?: unknown }) => {
    if (message.type === 'testfileFinished' && this.#runNext()) return
    for (const [event, listener] of this.#listeners) if (event === 'message') listener(message)
  }

  #runNext(): boolean {
    const next = this.#queued.shift()
    if (next) this.#process.send(next)
    return next !== undefined
  }
}

function response(type: 'started' | 'stopped') {
  return { __vitest_worker_response__: true, type }
}
