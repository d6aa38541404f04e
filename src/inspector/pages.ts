import { type ApiError, get, type Page } from './api.js'
import type { SandboxEvent } from './live/stream.js'

export interface PagesOptions<T> {
  path: string
  query?: Record<string, string | undefined>
  keyOf(row: T): string
  /** The maximum number of rows to keep. @default no limit */
  maxRows?: number
  /** Keeps only the fields that the list shows, to save memory. */
  pick?(row: T): T
  /**
   * Loads a changed row. Returns undefined if the row is no longer in the list. Without this function, a change to an
   * older row replaces the list with its newest rows.
   */
  loadOne?(key: string): Promise<T | undefined>
}

const pageSize = '100'

/**
 * The maximum number of pages to load until one contains a row that the list already has. If none does, the list is
 * replaced.
 */
const maxNewPages = 5

/** The maximum number of changed rows to load one by one. If there are more, the list is replaced. */
const maxSingleRows = 30

export class Pages<T> {
  rows: readonly T[] = []
  isComplete = false
  error: ApiError | undefined
  #cursor: string | undefined
  #queue: Promise<void> = Promise.resolve()
  /** Values, such as ids, in the events that the waiting refresh will handle. Undefined if no refresh is waiting. */
  #changed: Set<unknown> | undefined
  #isLoadingMore = false
  #isClosed = false

  constructor(
    readonly key: string,
    readonly options: PagesOptions<T>,
    readonly onChange: () => void,
  ) {}

  loadMore(): Promise<void> {
    if (this.isComplete || this.#isLoadingMore || this.error) return this.#queue
    this.#isLoadingMore = true
    return this.#enqueue(async () => {
      this.#isLoadingMore = false
      const page = await this.#load(this.#cursor)
      this.#set(this.#without(this.rows, page.data).concat(page.data), page.nextCursor)
    })
  }

  reload(): Promise<void> {
    return this.#enqueue(async () => {
      const page = await this.#load(undefined)
      this.#set(page.data, page.nextCursor)
    })
  }

  /** Adds new rows, and reloads changed rows. If a refresh is already waiting, adds the events to it. */
  refresh(events: readonly SandboxEvent[]): Promise<void> {
    const { keyOf, loadOne } = this.options
    const values = events.flatMap((event) => Object.values(event))
    if (this.#changed) {
      for (const value of values) this.#changed.add(value)
      return this.#queue
    }
    const changed = new Set(values)
    this.#changed = changed
    return this.#enqueue(async () => {
      this.#changed = undefined
      const known = new Map(this.rows.map((row) => [keyOf(row), row]))
      let fresh: T[] = []
      let page: Page<T>
      let isJoined: boolean
      let count = 0
      let cursor: string | undefined
      do {
        page = await this.#load(cursor)
        cursor = page.nextCursor
        fresh = fresh.concat(page.data)
        isJoined = known.size === 0 || page.data.some((row) => known.has(keyOf(row)))
      } while (!isJoined && cursor !== undefined && ++count < maxNewPages)
      if (!isJoined || known.size === 0 || cursor === undefined) return this.#set(fresh, cursor)

      for (const row of fresh) known.delete(keyOf(row))
      const stale = [...known.keys()].filter((key) => changed.has(key))
      if (stale.length > (loadOne ? maxSingleRows : 0)) return this.#set(fresh, cursor)
      for (const key of stale) {
        const row = await loadOne?.(key)
        if (row) known.set(key, row)
        else known.delete(key)
      }
      this.#set(fresh.concat([...known.values()]), this.#cursor)
    })
  }

  close(): void {
    this.#isClosed = true
  }

  /** Runs one task at a time, because each task replaces the rows. */
  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      if (this.#isClosed) return
      try {
        this.error = undefined
        await task()
      } catch (error) {
        this.error = error as ApiError
      }
      if (!this.#isClosed) this.onChange()
    })
    return this.#queue
  }

  async #load(cursor: string | undefined): Promise<Page<T>> {
    const { path, query, pick = (row) => row } = this.options
    const { data, nextCursor } = await get<Page<T>>(path, { limit: pageSize, cursor, ...query })
    return { data: data.map(pick), nextCursor }
  }

  #without(rows: readonly T[], others: readonly T[]): T[] {
    const keys = new Set(others.map(this.options.keyOf))
    return rows.filter((row) => !keys.has(this.options.keyOf(row)))
  }

  #set(rows: readonly T[], cursor: string | undefined): void {
    const { maxRows = Number.POSITIVE_INFINITY } = this.options
    const isFull = rows.length >= maxRows
    this.rows = isFull ? rows.slice(0, maxRows) : rows
    this.#cursor = isFull ? undefined : cursor
    this.isComplete = this.#cursor === undefined
  }
}
