import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { CommandFailed } from './command.js'

/** The locks that this process has acquired. */
const held = new Set<string>()

/**
 * The exclusive right to export to a target: the file `<target>.lock`, which contains the process ID and a random token
 * of the owner. The owner checks before each write whether the file still contains its token.
 */
export class ExportLock {
  readonly #path: string
  readonly #token = `${process.pid} ${crypto.randomUUID()}`

  /**
   * Acquires the lock.
   *
   * @param takeOver Whether to acquire the lock even if another process has it. The other process then stops before its
   * next write.
   * @throws {CommandFailed} Another process has the lock and is still running.
   */
  constructor(target: string, takeOver: boolean) {
    this.#path = `${target}.lock`
    const owner = readOwner(this.#path)
    if (!takeOver && owner !== undefined && isRunning(owner)) throw inUse(target)
    // Writes the token first, so that another process never reads an empty lock file and takes it over.
    const own = `${this.#path}.${crypto.randomUUID()}`
    writeFileSync(own, this.#token)
    try {
      if (!takeOver && owner === undefined) this.#create(own)
      else renameSync(own, this.#path)
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(target) : error
    } finally {
      rmSync(own, { force: true })
    }
    held.add(this.#token)
  }

  #create(own: string): void {
    try {
      linkSync(own, this.#path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
      // The file system has no hard links.
      writeFileSync(this.#path, this.#token, { flag: 'wx' })
    }
  }

  get isHeld(): boolean {
    return readOwner(this.#path) === this.#token
  }

  release(): void {
    if (this.isHeld) rmSync(this.#path)
    held.delete(this.#token)
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

function inUse(target: string): CommandFailed {
  return new CommandFailed(
    `Another process exports to ${target}. Wait until it ends, or pass --resume to stop it and continue its export`,
  )
}
