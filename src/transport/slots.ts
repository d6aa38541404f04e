import type { Cutoff } from '../internal/deadline.js'

/** A bounded number of places; who finds none free waits in line. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Take a place that is free, if there is one. Every place that is taken must be given back by `release`. */
  takeFree(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** Wait in line for a place. Rejects when `cutoff` ends the wait. */
  wait(cutoff: Cutoff): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => resolve()
      this.#waiting.add(enter)
      cutoff.listen((cause) => {
        this.#waiting.delete(enter)
        reject(cause)
      })
    })
  }

  /** Hand the place to the first in line, or keep it free. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
