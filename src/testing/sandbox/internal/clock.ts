import { maxTimerMs } from '../../../core/internal/validation.js'

/** The sandbox's clock. By default, it runs in real time. With the option `now`, only `advance` changes it. */
export interface Clock {
  now(): Date
  /**
   * Moves the time forward. Runs all tasks that become due, in order, each at its scheduled time.
   *
   * @param by Milliseconds, or a string such as `'24h'` or `'60s'`.
   * @throws {TypeError} `by` is not a duration, or the new time is after the year 9999.
   */
  advance(by: Duration): Promise<void>
}

/** Milliseconds, or a string such as `'24h'`, `'90s'` or `'500ms'`. */
export type Duration = number | `${number}${keyof typeof units}`

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function isDuration(value: unknown): value is Duration {
  return typeof value === 'number' ? value >= 0 && value < Infinity : /^\d+(\.\d+)?(ms|s|m|h|d)$/.test(String(value))
}

export function milliseconds(duration: Duration): number {
  if (!isDuration(duration)) {
    throw new TypeError(`Invalid duration: ${String(duration)}. Pass milliseconds, or a string such as '24h' or '60s'`)
  }
  if (typeof duration === 'number') return duration
  const unit = duration.replace(/[\d.]+/, '') as keyof typeof units
  return Number.parseFloat(duration) * units[unit]
}

export interface Scheduled {
  cancel(): void
}

interface Task {
  dueAt: number
  run: () => void | Promise<void>
  timer?: ReturnType<typeof setTimeout>
}

export class VirtualClock implements Clock {
  #isRunning = true
  /** The time of a stopped clock, or the difference between a running clock and real time. */
  #position = 0
  /** The time that the clock will show after all running calls to `advance` have finished. */
  #target = -Infinity
  #tasks: Task[] = []

  /**
   * @param start The time of a stopped clock. Without it, the clock runs.
   * @param onAdvance Called after each call to `advance`.
   */
  constructor(
    start?: Date,
    private readonly onAdvance: () => void = () => {},
  ) {
    this.set(start)
  }

  now(): Date {
    return new Date(this.#time)
  }

  /** The task must not throw, because the clock does not catch its errors. */
  schedule(delayMs: number, run: Task['run']): Scheduled {
    const task: Task = { dueAt: this.#time + delayMs, run }
    this.#tasks.push(task)
    this.#startTimer(task)
    return { cancel: () => this.#remove(task) }
  }

  /** Stops the clock at a time, or makes it run in real time. Scheduled tasks remain. */
  set(time: Date | undefined): void {
    this.#isRunning = time === undefined
    this.#position = time?.getTime() ?? 0
    this.#target = -Infinity
    for (const task of this.#tasks) {
      clearTimeout(task.timer)
      this.#startTimer(task)
    }
  }

  #startTimer(task: Task): void {
    if (!this.#isRunning) return
    const run = () => {
      this.#remove(task)
      void task.run()
    }
    task.timer = setTimeout(run, Math.max(0, Math.min(task.dueAt - this.#time, maxTimerMs)))
    // Outside Node, a timer may be a number, which has no `unref`.
    if (typeof task.timer === 'object') task.timer.unref()
  }

  /** The time of the next task, in milliseconds since 1970. */
  get nextDueAt(): number | undefined {
    return this.#next(Number.POSITIVE_INFINITY)?.dueAt
  }

  async advance(by: Duration): Promise<void> {
    // Adds up the durations of concurrent `advance` calls.
    const target = Math.max(this.#time, this.#target) + milliseconds(by)
    if (!isTime(target)) {
      throw new TypeError(`The duration ${by} moves the clock beyond the year 9999: pass a shorter duration`)
    }
    this.#target = target
    for (let task = this.#next(target); task; task = this.#next(target)) {
      this.#remove(task)
      this.#moveTo(task.dueAt)
      await task.run()
    }
    this.#moveTo(target)
    this.onAdvance()
  }

  snapshot(): number {
    return this.#position
  }

  accepts(position: number): boolean {
    return Number.isFinite(position) && isTime(this.#isRunning ? Date.now() + position : position)
  }

  restore(position: number): void {
    for (const task of [...this.#tasks]) this.#remove(task)
    this.#position = position
    this.#target = -Infinity
  }

  get #time() {
    return this.#isRunning ? Date.now() + this.#position : this.#position
  }

  #moveTo(time: number) {
    this.#position += Math.max(0, time - this.#time)
  }

  #next(until: number): Task | undefined {
    const due = this.#tasks.filter((task) => task.dueAt <= until)
    return due.reduce<Task | undefined>((first, task) => (first && first.dueAt <= task.dueAt ? first : task), undefined)
  }

  #remove(task: Task) {
    clearTimeout(task.timer)
    this.#tasks = this.#tasks.filter((other) => other !== task)
  }
}

/** Returns whether a time is in the years 1 to 9999. HTTP and ISO 8601 cannot format other years. */
export function isTime(ms: number): boolean {
  return ms >= Date.parse('0001-01-01T00:00:00Z') && ms < Date.parse('+010000-01-01T00:00:00Z')
}

/** Waits until `ms` milliseconds of real time have passed or the signal aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(stop, ms)
    signal?.addEventListener('abort', stop)
  })
}

/** Formats a time as the service usually does: in UTC, with microseconds and without a zone. */
export function zoneless(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000`
}
