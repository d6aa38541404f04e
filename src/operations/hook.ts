import type { StoreHook } from './journal.js'
import type { StoredOperation } from './record.js'

/**
 * Runs the caller's function `onSettled` in the transaction that stores a result, and records whether the function
 * failed.
 */
export class CheckedHook {
  hasFailed = false
  readonly #onSettled: StoreHook
  readonly #isSynchronous: boolean

  constructor(onSettled: StoreHook, isSynchronous: boolean) {
    this.#onSettled = onSettled
    this.#isSynchronous = isSynchronous
  }

  readonly run: StoreHook = (row: StoredOperation, transaction: unknown) => {
    try {
      const result = this.#onSettled(row, transaction)
      if (!(result instanceof Promise)) return undefined
      if (!this.#isSynchronous) return result.catch((error) => this.#fail(error))
      result.catch(() => {})
    } catch (error) {
      return this.#fail(error)
    }
    const message = 'onSettled must be synchronous with SQLite, because other statements share the connection'
    return this.#fail(new Error(message))
  }

  #fail(error: unknown): never {
    this.hasFailed = true
    throw error
  }
}
