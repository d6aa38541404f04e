/** A bounded number of places; who finds none free waits in line. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Wait for a place. Resolves with the function that gives it back, or rejects when `signal` ends the wait.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    let taken = true
    return () => {
      if (taken) this.#release()
      taken = false
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.delete(enter)
        reject(signal.reason)
      }
      this.#waiting.add(enter)
      signal.addEventListener('abort', leave)
    })
  }

  /** Hand the place to the first in line, or keep it free. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
