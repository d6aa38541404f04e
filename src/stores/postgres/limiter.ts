import { maxTimerMs } from '../../core/internal/validation.js'

/** A limited number of slots. Callers wait for a slot in order of arrival. */
export class Limiter {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(limit: number) {
    this.#free = limit
  }

  /** Takes a slot, which the caller must release with `leave`. Resolves to false if none is free within `waitMs`. */
  enter(waitMs = Number.POSITIVE_INFINITY): boolean | Promise<boolean> {
    if (this.#free === 0) return this.#wait(waitMs)
    this.#free--
    return true
  }

  leave(): void {
    const [next] = this.#queue
    if (next) next()
    else this.#free++
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
