import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { RowPage } from '../sandbox/control/views.js'
import { type ApiError, get, type ListPath, type Path, type Response, type Row } from './api.js'
import { onChange } from './live/live.js'

/** Calls a function after changes in the sandbox, and when the connection is lost or restored. */
export function useLive(listener: (isConnected: boolean) => void): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => onChange((isConnected) => latest.current(isConnected)), [])
}

interface Loaded<T> {
  data?: T
  error?: ApiError
  reload(): void
}

/**
 * Loads data, and loads it again after each change in the sandbox. After an error, still returns the last data, unless
 * the resource no longer exists.
 */
function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
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
  useEffect(() => void reload(), [])
  useLive((isConnected) => isConnected && void reload())
  return { ...state, reload }
}

/** @param id The `:id` of the path. It must not change between renders. */
export function useResource<P extends Path>(path: P, id?: string): Loaded<Response<P>> {
  return useLoaded(() => get(path, { id }))
}

/**
 * Loads a list up to the required rows.
 *
 * @param query The filters of the list. They must not change between renders.
 */
export function usePages<P extends ListPath>(path: P, query: Readonly<Record<string, string>>) {
  const required = useRef(1)
  const { data, error, reload } = useLoaded(async () => {
    const rows: Row<P>[] = []
    let cursor: string | undefined
    do {
      const page = (await get(path, { limit: '100', cursor, ...query })) as RowPage<Row<P>>
      rows.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== undefined && rows.length < required.current)
    return { rows, isComplete: cursor === undefined }
  })
  const { rows = [], isComplete = false } = data ?? {}
  return {
    rows,
    isComplete,
    error,
    /** Loads rows until at least `count` rows are loaded, or all rows of the list. */
    require(count: number): void {
      const isShort = data !== undefined && !isComplete && count > rows.length
      // Each load starts with the first page. Requesting twice as many rows as needed reduces the number of loads.
      required.current = isShort ? 2 * count : count
      if (isShort) reload()
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
  const run = async (task: () => Promise<string>) => {
    setBusy(true)
    await task().then(
      (text) => setNotice({ text }),
      (error) => setNotice({ text: error instanceof Error ? error.message : String(error), isError: true }),
    )
    setBusy(false)
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
  const { data, reload } = useResource('clock')
  useEffect(() => {
    const timer = setInterval(reload, tickMs)
    return () => clearInterval(timer)
  }, [])
  return data ? Date.parse(data.now) : Date.now()
}
