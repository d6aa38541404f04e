import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { UsageError } from './command.js'

/** The locks that this process holds. */
const held = new Set<string>()

/**
 * The exclusive right to export to a target: the file `<target>.lock`, which contains the process ID and a random token
 * of the owner. The owner checks before each write whether the file still contains its token.
 */
export class ExportLock {
  readonly #path: string
  readonly #token = `${process.pid} ${crypto.randomUUID()}`

  private constructor(target: string) {
    this.#path = `${target}.lock`
    held.add(this.#token)
  }

  /** Throws if another process that is still running holds the lock. */
  static take(target: string): ExportLock {
    const owner = readOwner(`${target}.lock`)
    if (owner !== undefined && isRunning(owner)) throw inUse(target)
    const lock = new ExportLock(target)
    try {
      if (owner === undefined) writeFileSync(lock.#path, lock.#token, { flag: 'wx' })
      else lock.#replace()
    } catch (error) {
      held.delete(lock.#token)
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(target) : error
    }
    return lock
  }

  /** Takes the lock, even if another process holds it. That process stops before its next write. */
  static takeOver(target: string): ExportLock {
    const lock = new ExportLock(target)
    lock.#replace()
    return lock
  }

  get isHeld(): boolean {
    return readOwner(this.#path) === this.#token
  }

  release(): void {
    if (this.isHeld) rmSync(this.#path)
    held.delete(this.#token)
  }

  #replace(): void {
    const own = `${this.#path}.${crypto.randomUUID()}`
    writeFileSync(own, this.#token)
    renameSync(own, this.#path)
  }
}

function readOwner(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isRunning(owner: string): boolean {
  const pid = Number.parseInt(owner, 10)
  if (Number.isNaN(pid)) return false
  if (pid === process.pid) return held.has(owner)
  try {
    // The signal 0 only tests whether the process exists.
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function inUse(target: string): UsageError {
  return new UsageError(
    `Another process exports to ${target}. Wait until it ends, or pass --resume to stop it and continue its export`,
  )
}
