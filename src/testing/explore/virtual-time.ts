import type { Scheduled, VirtualClock } from '../sandbox/internal/clock.js'
import { BrokenRule } from './rules.js'

/** After this many event loop turns without activity, all code is assumed to be waiting for timers. */
const quietTurns = 3
/** The duration of a turn while the storage does real I/O, in milliseconds of real time. */
const ioTurnMs = 5
/** The duration of a turn while the virtual time is stopped, in milliseconds of real time. */
const pausedTurnMs = 1
/** The duration of a turn while the client loads its modules, in milliseconds of real time. */
const loadingTurnMs = 100
/** The maximum number of timers in one step. No shop should need more. */
const maxTimers = 10_000
/** Lower limits for a step that did not end in an earlier run. A longer wait would only find the same problem. */
const maxTimersAgain = 500
const maxWaitAgainMs = { idle: 50, timer: 300, io: 300 }

// Saved before a test can install fake timers. Not every runtime has `setImmediate`.
const { setTimeout, setImmediate = setTimeout as unknown as (run: () => void) => void } = globalThis
let ownTimers = 0
const realTime = (ms: number) =>
  new Promise<void>((resolve) => {
    if (ms <= 0) return void setImmediate(resolve)
    ownTimers += 1
    const end = () => {
      ownTimers -= 1
      resolve()
    }
    setTimeout(end, ms)
  })

/**
 * Node resources that are also active without I/O. If any other resource is active, such as a socket, a file or a DNS
 * lookup, the shop's storage may be doing I/O.
 */
const idleResources = new Set(['Immediate', 'MessagePort', 'PipeWrap', 'SignalWrap', 'Timeout', 'TTYWrap'])

const hasIo = (): boolean =>
  globalThis.process?.getActiveResourcesInfo?.().some((type) => !idleResources.has(type)) ?? true

/** Returns what the shop may be waiting for: I/O, a real timer, or neither. */
function waitsFor(): 'io' | 'timer' | 'idle' {
  if (hasIo()) return 'io'
  const active = globalThis.process?.getActiveResourcesInfo?.() ?? []
  return active.filter((type) => type === 'Timeout').length > ownTimers ? 'timer' : 'idle'
}

/** The progress of this process's first client call. The call takes real time, because it loads modules. */
let firstCall: 'not made' | 'loading' | 'sent' = 'not made'

export function callStarted(): void {
  if (firstCall === 'not made') firstCall = 'loading'
}

export function callSent(): void {
  firstCall = 'sent'
}

/** Advances the sandbox's clock to the next timer as soon as all code of a run is waiting. */
export class VirtualTime {
  #activity = 0
  #paused = 0
  #deliveries = 0

  constructor(
    readonly clock: VirtualClock,
    /** Whether the shop's storage may do real I/O, during which the virtual time must not advance. */
    readonly usesIo: boolean,
    /** The steps that did not end in an earlier run of the exploration. */
    private readonly endless: Set<string>,
  ) {}

  get now(): number {
    return this.clock.now().getTime()
  }

  /** Records activity of the shop or the service, so that the virtual time does not advance yet. */
  touch(): void {
    this.#activity += 1
  }

  schedule(run: () => void, delayMs: number): Scheduled {
    this.touch()
    return this.clock.schedule(Math.max(1, Number(delayMs) || 0), () => {
      this.touch()
      run()
    })
  }

  /** Stops the virtual time until `work` ends, for example a database query or a developer's breakpoint. */
  async pause<T>(work: T | Promise<T>): Promise<T> {
    this.#paused += 1
    try {
      return await work
    } finally {
      this.#paused -= 1
      this.touch()
    }
  }

  /**
   * Runs `work` to its end. Advances the virtual time whenever all code of the run is waiting.
   *
   * @throws {BrokenRule} The work never ends.
   */
  async runToEnd<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    const result = (async () => work())()
    result.then(end, end)
    let timers = 0
    for (await this.#waitUntilIdle(); !isOver; await this.#waitUntilIdle()) {
      const { nextDueAt } = this.clock
      if (nextDueAt === undefined) await this.#waitForActivity(() => isOver, name)
      else await this.clock.advance(Math.max(0, nextDueAt - this.now))
      timers += 1
      if (timers > (this.endless.has(name) ? maxTimersAgain : maxTimers)) {
        throw this.#neverEnds(name, `did not end after ${maxTimers} timers`)
      }
    }
    return result
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(resolve, ms))
  }

  /**
   * Waits until a webhook handler has finished. Meanwhile, `#waitUntilIdle` waits for more turns than usual, because
   * the handler may wait for another handler without a timer.
   */
  async deliver<T>(handled: T | Promise<T>): Promise<T> {
    this.#deliveries += 1
    try {
      return await handled
    } finally {
      this.#deliveries -= 1
    }
  }

  /** Waits until the run's code is idle: it waits only for timers and does no I/O. */
  async #waitUntilIdle(): Promise<void> {
    const turns = () => (this.#deliveries > 0 ? 2 * quietTurns : quietTurns)
    for (let quiet = 0; quiet < turns(); quiet++) {
      const before = this.#activity
      const isSlow = quiet >= quietTurns || (this.usesIo && hasIo())
      const turnMs = this.#paused > 0 ? pausedTurnMs : isSlow ? ioTurnMs : 0
      await realTime(firstCall === 'loading' ? loadingTurnMs : turnMs)
      if (this.#activity !== before || this.#paused > 0) quiet = 0
    }
  }

  async #waitForActivity(isOver: () => boolean, name: string): Promise<void> {
    const before = this.#activity
    const maxWaitMs = this.endless.has(name) ? maxWaitAgainMs : { idle: 500, timer: 2_000, io: 30_000 }
    // Counts turns of the event loop, because a busy machine may pause the process for longer than the limit.
    for (let waitedMs = 0; !isOver() && this.#activity === before; waitedMs += ioTurnMs) {
      if (waitedMs > maxWaitMs[waitsFor()]) {
        const problem = 'waits for something other than a request, a webhook or a timer of `clock`'
        throw this.#neverEnds(name, `${problem}: use the \`clock\` that start receives`)
      }
      await realTime(ioTurnMs)
    }
  }

  #neverEnds(name: string, problem: string): BrokenRule {
    this.endless.add(name)
    return new BrokenRule('never ends', `${name} ${problem}`)
  }
}
