import type { Cutoff } from './deadline.js'

/** A limited number of slots, for example connections. Callers wait for a slot in order of arrival. */
export class Slots {
  #used = 0
  readonly #queue = new Set<() => void>()

  constructor(public limit: number) {}

  /** Takes a slot if one is free. The caller must return the slot with `release`. */
  takeFree(): boolean {
    if (this.#used >= this.limit) return false
    this.#used++
    return true
  }

  /** Waits for a slot, which the caller must return with `release`. Rejects when the cutoff fires. */
  wait(cutoff: Cutoff): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => resolve()
      this.#queue.add(enter)
      cutoff.listen((cause) => {
        this.#queue.delete(enter)
        reject(cause)
      })
    })
  }

  /** Passes the slot to the first caller in the queue, or frees it. */
  release(): void {
    const [next] = this.#queue
    if (next === undefined) {
      this.#used--
      return
    }
    this.#queue.delete(next)
    next()
  }
}
