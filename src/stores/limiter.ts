import { maxTimerMs } from '../internal/options.js'

/** Runs a limited number of functions at the same time. Further functions wait in order of arrival. */
export class Limiter {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(limit: number) {
    this.#free = limit
  }

  /** Runs `work` when a slot is free. If none is free within `waitMs`, resolves to undefined instead. */
  async run<T>(work: () => Promise<T>, waitMs = Number.POSITIVE_INFINITY): Promise<T | undefined> {
    if (this.#free > 0) this.#free--
    else if (!(await this.#wait(waitMs))) return undefined
    try {
      return await work()
    } finally {
      const [next] = this.#queue
      if (next) next()
      else this.#free++
    }
  }

  #wait(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (hasSlot: boolean) => {
        clearTimeout(timer)
        this.#queue.delete(enter)
        resolve(hasSlot)
      }
      const enter = () => leave(true)
      const timer = setTimeout(() => leave(false), Math.min(waitMs, maxTimerMs))
      this.#queue.add(enter)
    })
  }
}
