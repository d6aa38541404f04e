import { useEffect, useRef, useState } from 'preact/hooks'
import type { RowPage } from '../sandbox/control/views.js'
import { type ApiError, get, type ListPath, type Path, type Response, type Row } from './api.js'
import { onEvents } from './live/live.js'
import type { EventType, SandboxEvent } from './live/stream.js'

const replacementTypes: readonly EventType[] = ['reset', 'restore']

/**
 * Calls a function with the events of the given types, and with events that replace the whole state, as they arrive.
 */
export function useLive(types: readonly EventType[], listener: (events: SandboxEvent[]) => void): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(
    () =>
      onEvents((events) => {
        const relevant = events.filter(({ type }) => types.includes(type) || replacementTypes.includes(type))
        if (relevant.length > 0) latest.current(relevant)
      }),
    [],
  )
}

/**
 * Loads a resource, and reloads it when `version` changes or events of the given types arrive.
 *
 * With `paymentId`, ignores events for other payments. After an error, keeps the last data unless the resource no
 * longer exists.
 */
export function useResource<P extends Path>(
  path: P,
  types: readonly EventType[],
  { id, version, paymentId }: { id?: string; version?: unknown; paymentId?: string } = {},
): { data?: Response<P>; error?: ApiError } {
  const [state, setState] = useState<{ id?: string; data?: Response<P>; error?: ApiError }>({ id })
  const latest = useRef(0)
  const load = async () => {
    const number = ++latest.current
    const set = (result: { data?: Response<P>; error?: ApiError }) => {
      if (number !== latest.current) return
      setState((old) => ({ ...(old.id === id && { data: old.data }), id, ...result }))
    }
    await get(path, { id }).then(
      (data) => set({ data, error: undefined }),
      (error) => set({ error, ...(error.status === 404 && { data: undefined }) }),
    )
  }
  useEffect(() => void load(), [id, version])
  useLive(types, (events) => {
    const isOfOther = ({ paymentId: id }: SandboxEvent) =>
      paymentId !== undefined && id !== undefined && id !== paymentId
    if (!events.every(isOfOther)) void load()
  })
  return state.id === id ? state : {}
}

/** The loaded rows of a list. */
export interface Pages<T> {
  readonly rows: readonly T[]
  readonly isComplete: boolean
  readonly error?: ApiError
  /** Loads rows until the list has at least `count`, if it has so many. */
  require(count: number): void
}

type Loaded<T> = Omit<Pages<T>, 'require'> & { readonly cursor?: string }

const nothing: Loaded<never> = { rows: [], isComplete: false }

/**
 * Loads a list page by page. Events of the given types reload the list from its first page up to the required rows.
 *
 * @param query Filters of the list, which must not change.
 */
export function usePages<P extends ListPath>(
  path: P,
  types: readonly EventType[],
  query: { [name: string]: string | undefined } = {},
): Pages<Row<P>> {
  const [loaded, setLoaded] = useState<Loaded<Row<P>>>(nothing)
  const list = useRef({ loaded, required: 1, isBusy: false, isStale: false }).current
  const show = (next: Loaded<Row<P>>) => {
    list.loaded = next
    setLoaded(next)
  }
  const needsMore = ({ rows, isComplete }: Loaded<unknown>) => !isComplete && rows.length < list.required
  const load = async () => {
    if (list.isBusy) return
    list.isBusy = true
    try {
      while (list.isStale || needsMore(list.loaded)) {
        let next = list.isStale ? nothing : list.loaded
        list.isStale = false
        do {
          const page = (await get(path, { limit: '100', cursor: next.cursor, ...query })) as RowPage<Row<P>>
          const { data, nextCursor: cursor } = page
          next = { rows: next.rows.concat(data), cursor, isComplete: cursor === undefined }
        } while (needsMore(next))
        show(next)
      }
    } catch (error) {
      show({ ...list.loaded, error: error as ApiError })
    }
    list.isBusy = false
  }
  useEffect(() => void load(), [])
  useLive(types, () => {
    list.isStale = true
    void load()
  })
  return {
    ...loaded,
    require(count) {
      if (count === list.required) return
      list.required = count
      if (!list.loaded.error) void load()
    },
  }
}

export interface Notice {
  text: string
  isError?: boolean
}

/** Runs tasks, and keeps the message that the last one returned, or its error. */
export function useTask() {
  const [notice, setNotice] = useState<Notice>()
  const [isBusy, setBusy] = useState(false)
  /** Returns whether the task succeeded. */
  const run = async (task: () => Promise<string>): Promise<boolean> => {
    setBusy(true)
    const result = await task().then(
      (text): Notice => ({ text }),
      (error): Notice => ({ text: error instanceof Error ? error.message : String(error), isError: true }),
    )
    setNotice(result)
    setBusy(false)
    return !result.isError
  }
  return { run, notice, isBusy }
}
