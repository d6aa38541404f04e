import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { createInterface } from 'node:readline'
import { CommandFailed, UsageError } from './command.js'
import { ExportLock } from './export-lock.js'

/** The progress of an export: the file contains every payment before this position in the list. */
export interface Progress {
  /** Start of the next page. Undefined at the start of the list. */
  readonly cursor?: string | undefined
  /** Whether the export has already reached the end of the list. */
  readonly isListed: boolean
}

/** Options that must have the same values when an export is resumed. */
export type ExportSettings = Readonly<Record<string, unknown>>

/** A line of the checkpoint journal, with the IDs of the payments written since the previous line. */
interface Entry extends Progress {
  readonly bytes: number
  readonly ids: readonly string[]
}

const entryIntervalMs = 1_000

/**
 * The file that an export writes.
 *
 * Payments are written to the data file `<target>.partial`, which is renamed to the target at the end. The journal
 * `<target>.checkpoint` records the progress: its first line contains the settings, and each later line a list position
 * up to which the data is complete. `resume` removes the data written after the last line. An `ExportLock` ensures that
 * only one process writes these files.
 */
export class ExportFile {
  readonly ids: Set<string>
  readonly isResumed: boolean
  progress: Progress
  readonly #target: string
  readonly #lock: ExportLock
  readonly #data: number
  readonly #journal: number
  #bytes: number
  #newIds: string[] = []
  #recordedAt = performance.now()
  #hasFailed = false
  #isOpen = true

  private constructor(target: string, lock: ExportLock, flags: 'w' | 'a', stored?: Stored) {
    this.#target = target
    this.#lock = lock
    this.#data = openSync(dataPath(target), flags)
    this.#journal = openSync(journalPath(target), flags)
    this.ids = stored?.ids ?? new Set()
    this.isResumed = stored !== undefined
    this.progress = stored?.progress ?? { isListed: false }
    this.#bytes = stored?.bytes ?? 0
  }

  /**
   * Starts an export. With `resume`, continues the unfinished export, and takes it over from a process that is still
   * writing it. Without `resume`, discards the unfinished export.
   */
  static async open(target: string, settings: ExportSettings, head: string, resume = false): Promise<ExportFile> {
    const isFound = resume && existsSync(dataPath(target)) && existsSync(journalPath(target))
    const lock = new ExportLock(target, isFound)
    try {
      const stored = isFound ? await readStored(target, settings) : undefined
      if (stored) {
        truncateSync(dataPath(target), stored.bytes)
        truncateSync(journalPath(target), stored.journalBytes)
        return new ExportFile(target, lock, 'a', stored)
      }
      const file = new ExportFile(target, lock, 'w')
      file.#writeLine(settings)
      file.#write(head)
      file.#record()
      return file
    } catch (error) {
      lock.release()
      throw error
    }
  }

  add(ids: readonly string[], text: string, progress: Progress): void {
    this.#write(text)
    for (const id of ids) this.#newIds.push(id)
    this.progress = progress
    if (performance.now() - this.#recordedAt >= entryIntervalMs) this.#record()
  }

  finish(tail: string): void {
    this.#record()
    this.#write(tail)
    // Marks the export as failed until all steps have succeeded. Otherwise, `suspend` would record the file as complete
    // after a failed step, and `resume` would not write its end again.
    this.#hasFailed = true
    fdatasyncSync(this.#data)
    this.#check()
    this.#closeFiles()
    renameSync(dataPath(this.#target), this.#target)
    rmSync(journalPath(this.#target))
    this.#lock.release()
  }

  suspend(): void {
    try {
      if (this.#isOpen && !this.#hasFailed) this.#record()
    } finally {
      this.#closeFiles()
      this.#lock.release()
    }
  }

  discard(): void {
    this.#closeFiles()
    rmSync(dataPath(this.#target))
    rmSync(journalPath(this.#target))
    this.#lock.release()
  }

  #write(text: string): void {
    this.#attempt(() => {
      appendFileSync(this.#data, text)
      this.#bytes += Buffer.byteLength(text)
    })
  }

  #record(): void {
    this.#attempt(() => fdatasyncSync(this.#data))
    const entry: Entry = { ...this.progress, bytes: this.#bytes, ids: this.#newIds }
    this.#writeLine(entry)
    this.#newIds = []
    this.#recordedAt = performance.now()
  }

  #writeLine(value: Entry | ExportSettings): void {
    this.#attempt(() => appendFileSync(this.#journal, `${JSON.stringify(value)}\n`))
  }

  /** Changes a file. After a failure, the file may be incomplete, so `suspend` does not record the position. */
  #attempt(change: () => void): void {
    this.#hasFailed = true
    this.#check()
    change()
    this.#hasFailed = false
  }

  /** Throws if another process took over the export, or wrote to the data file. */
  #check(): void {
    if (this.#lock.isHeld && fstatSync(this.#data).size === this.#bytes) return
    throw new CommandFailed(`Another process continues the export to ${this.#target}, so this process stops`)
  }

  #closeFiles(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    closeSync(this.#data)
    closeSync(this.#journal)
  }
}

interface Stored {
  readonly ids: Set<string>
  readonly progress: Progress
  /** Length of the data that the checkpoint journal covers, in bytes. */
  readonly bytes: number
  /** Length of the checkpoint journal's complete lines, in bytes. */
  readonly journalBytes: number
}

async function readStored(target: string, settings: ExportSettings): Promise<Stored | undefined> {
  const dataSize = statSync(dataPath(target)).size
  const journalSize = statSync(journalPath(target)).size
  const ids = new Set<string>()
  let journalBytes = 0
  let last: Entry | undefined
  for await (const line of createInterface(createReadStream(journalPath(target)))) {
    const entry = parseLine(line)
    const end = journalBytes + Buffer.byteLength(line) + 1
    // Stops at the first journal line that is incomplete, or whose data did not reach the disk.
    if (entry === undefined || end > journalSize || (entry as Entry).bytes > dataSize) break
    if (journalBytes === 0) rejectOtherSettings(entry as ExportSettings, settings)
    else {
      last = entry as Entry
      for (const id of last.ids) ids.add(id)
    }
    journalBytes = end
  }
  if (last === undefined) return undefined
  return { ids, progress: { cursor: last.cursor, isListed: last.isListed }, bytes: last.bytes, journalBytes }
}

const dataPath = (target: string) => `${target}.partial`
const journalPath = (target: string) => `${target}.checkpoint`

function parseLine(line: string): Entry | ExportSettings | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function rejectOtherSettings(stored: ExportSettings, given: ExportSettings): void {
  const names = Object.keys({ ...stored, ...given }).filter(
    (name) => JSON.stringify(stored[name]) !== JSON.stringify(given[name]),
  )
  if (names.length === 0) return
  throw new UsageError(
    `The interrupted export had other values for ${names.join(', ')}: pass the same values, or start again without --resume`,
  )
}
