import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { RowPage } from '../sandbox/control/views.js'
import { type ApiError, get, type ListPath, type Path, type Response, type Row } from './api.js'
import { onEvents } from './live/live.js'
import type { EventType, LiveEvent } from './live/stream.js'

/** The events after which all data may have changed. */
const replacementTypes: readonly EventType[] = ['reset', 'restore', 'open']

/** Calls a function with events of the given types, and with events after which all data may have changed. */
export function useLive(types: readonly EventType[], listener: (events: LiveEvent[]) => void): void {
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
 * Loads data, and loads it again when `version` changes or relevant events of the given types arrive. After an error,
 * still returns the last data, unless the resource no longer exists.
 */
function useLoaded<T>(
  load: () => Promise<T>,
  types: readonly EventType[],
  version: unknown,
  isRelevant: (event: LiveEvent) => boolean = () => true,
): { data?: T; error?: ApiError } {
  const [state, setState] = useState<{ data?: T; error?: ApiError }>({})
  const task = useRef({ load, isBusy: false, isStale: false }).current
  task.load = load
  const reload = async () => {
    task.isStale = true
    if (task.isBusy) return
    task.isBusy = true
    while (task.isStale) {
      task.isStale = false
      await task.load().then(
        (data) => setState({ data }),
        (error) => setState((old) => (error.status === 404 ? { error } : { ...old, error })),
      )
    }
    task.isBusy = false
  }
  useEffect(() => void reload(), [version])
  useLive(types, (events) => events.some(isRelevant) && void reload())
  return state
}

/** Loads a resource. With `paymentId`, ignores events for other payments. */
export function useResource<P extends Path>(
  path: P,
  types: readonly EventType[],
  { id, version, paymentId }: { id?: string; version?: unknown; paymentId?: string } = {},
): { data?: Response<P>; error?: ApiError } {
  const isRelevant = ({ paymentId: of }: LiveEvent) => paymentId === undefined || of === undefined || of === paymentId
  return useLoaded(() => get(path, { id }), types, version, isRelevant)
}

/** The loaded rows of a list. */
export interface Pages<T> {
  readonly rows: readonly T[]
  readonly isComplete: boolean
  readonly error?: ApiError
  /** Loads rows until at least `count` rows are loaded, or all rows of the list. */
  require(count: number): void
}

/**
 * Loads a list up to the required rows.
 *
 * @param query The filters of the list. They must not change between renders.
 */
export function usePages<P extends ListPath>(
  path: P,
  types: readonly EventType[],
  query: { [name: string]: string | undefined } = {},
): Pages<Row<P>> {
  const required = useRef(1)
  const [version, setVersion] = useState(1)
  const load = async () => {
    const rows: Row<P>[] = []
    let cursor: string | undefined
    do {
      const page = (await get(path, { limit: '100', cursor, ...query })) as RowPage<Row<P>>
      rows.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== undefined && rows.length < required.current)
    return { rows, isComplete: cursor === undefined }
  }
  const { data, error } = useLoaded(load, types, version)
  const { rows = [], isComplete = false } = data ?? {}
  return {
    rows,
    isComplete,
    error,
    require(count) {
      const isShort = data !== undefined && !isComplete && count > rows.length
      // Each load starts with the first page. Requesting twice as many rows as needed reduces the number of loads.
      required.current = isShort ? 2 * count : count
      if (isShort) setVersion(count)
    },
  }
}

export interface Notice {
  text: string
  isError?: boolean
}

/** Runs tasks, and stores the message that the last task returned, or its error. */
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

const Now = createContext(Date.now())

const tickMs = 10_000

/** Provides the sandbox's time, in milliseconds since 1970. */
export const NowProvider = Now.Provider

export function useNow(): number {
  return useContext(Now)
}

/** Reads the time again after each change in the sandbox, and every 10 s. */
export function useSandboxClock(): number {
  const [ticks, setTicks] = useState(0)
  const { data } = useResource('clock', ['clock', 'status', 'request'], { version: ticks })
  useEffect(() => {
    const timer = setInterval(() => setTicks((count) => count + 1), tickMs)
    return () => clearInterval(timer)
  }, [])
  return data ? Date.parse(data.now) : Date.now()
}
