import { type Duration, milliseconds } from './duration.js'

/** The sandbox's time. It flows like real time, unless the sandbox was created with `now`: then it stands still. */
export interface Clock {
  now(): Date
  /**
   * Move the time forward. What falls due on the way happens in order, each thing at its own time.
   *
   * @param by Milliseconds, or a text such as `'24h'` or `'60s'`.
   */
  advance(by: Duration): Promise<void>
}

/** Something that will happen, unless it is cancelled. */
export interface Scheduled {
  cancel(): void
}

interface Task {
  dueAt: number
  run: () => void | Promise<void>
  timer?: ReturnType<typeof setTimeout>
}

/** The clock as the sandbox itself uses it: with things that happen later. */
export class VirtualClock implements Clock {
  readonly #flows: boolean
  /** What the time is when it stands still; how far it is ahead of real time when it flows. */
  #position: number
  #tasks: Task[] = []

  constructor(start?: Date) {
    this.#flows = start === undefined
    this.#position = start === undefined ? 0 : start.getTime()
  }

  now(): Date {
    return new Date(this.#time)
  }

  /** Do something later. The task must not fail. */
  schedule(delayMs: number, run: Task['run']): Scheduled {
    const task: Task = { dueAt: this.#time + delayMs, run }
    this.#tasks.push(task)
    if (this.#flows) task.timer = this.#wake(task, delayMs)
    return { cancel: () => this.#remove(task) }
  }

  async advance(by: Duration): Promise<void> {
    const target = this.#time + milliseconds(by)
    for (let task = this.#next(target); task; task = this.#next(target)) {
      this.#remove(task)
      this.#moveTo(task.dueAt)
      await task.run()
    }
    this.#moveTo(target)
  }

  snapshot(): number {
    return this.#position
  }

  /** Back to where the clock stood, with nothing planned. */
  restore(position: number): void {
    for (const task of [...this.#tasks]) this.#remove(task)
    this.#position = position
  }

  get #time() {
    return this.#flows ? Date.now() + this.#position : this.#position
  }

  #moveTo(time: number) {
    const ahead = time - this.#time
    if (ahead > 0) this.#position += ahead
  }

  #next(until: number): Task | undefined {
    const due = this.#tasks.filter((task) => task.dueAt <= until)
    return due.reduce<Task | undefined>((first, task) => (first && first.dueAt <= task.dueAt ? first : task), undefined)
  }

  #remove(task: Task) {
    clearTimeout(task.timer)
    this.#tasks = this.#tasks.filter((other) => other !== task)
  }

  #wake(task: Task, delayMs: number) {
    const timer = setTimeout(() => {
      this.#remove(task)
      void task.run()
    }, delayMs)
    // Node would otherwise stay alive for it; elsewhere a timer is a number.
    if (typeof timer === 'object') timer.unref()
    return timer
  }
}
