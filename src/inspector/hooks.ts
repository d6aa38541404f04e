import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, act, get } from './api.js'
import { onEvents } from './live/live.js'
import type { EventType, SandboxEvent } from './live/stream.js'
import { Pages, type PagesOptions } from './pages.js'

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

export function replacesAll(events: readonly SandboxEvent[]): boolean {
  return events.some(({ type }) => replacementTypes.includes(type))
}

/**
 * Loads a resource, and reloads it when `version` changes or events of the given types arrive.
 *
 * With `paymentId`, ignores events for other payments. After an error, keeps the last data unless the resource no
 * longer exists.
 */
export function useResource<T>(
  path: string,
  types: readonly EventType[],
  { version, paymentId }: { version?: unknown; paymentId?: string } = {},
): { data?: T; error?: ApiError } {
  const [state, setState] = useState<{ path: string; data?: T; error?: ApiError }>({ path })
  const latest = useRef(0)
  const load = async () => {
    const number = ++latest.current
    const set = (result: { data?: T; error?: ApiError }) => {
      if (number !== latest.current) return
      setState((old) => ({ ...(old.path === path && { data: old.data }), path, ...result }))
    }
    await get<T>(path).then(
      (data) => set({ data, error: undefined }),
      (error) => set({ error, ...(error.status === 404 && { data: undefined }) }),
    )
  }
  useEffect(() => void load(), [path, version])
  useLive(types, (events) => {
    const isOfOther = ({ paymentId: id }: SandboxEvent) =>
      paymentId !== undefined && id !== undefined && id !== paymentId
    if (!events.every(isOfOther)) void load()
  })
  return state.path === path ? state : {}
}

export function usePages<T>(options: PagesOptions<T>, types: readonly EventType[]): Pages<T> {
  const [, update] = useState(0)
  const ref = useRef<Pages<T>>(undefined)
  const key = JSON.stringify([options.path, options.query])
  if (ref.current?.key !== key) {
    ref.current?.close()
    ref.current = new Pages(key, options, () => update((count) => count + 1))
  }
  const pages = ref.current
  useEffect(() => void pages.loadMore(), [pages])
  useEffect(() => () => ref.current?.close(), [])
  useLive(types, (events) => void (replacesAll(events) ? pages.reload() : pages.refresh(events)))
  return pages
}

export interface Notice {
  text: string
  isError?: boolean
}

export function useAction() {
  const [notice, setNotice] = useState<Notice>()
  const [isBusy, setBusy] = useState(false)
  const run = async <T = Record<string, unknown>>(
    name: string,
    args: object,
    success: string | ((result: T) => string),
  ): Promise<T | undefined> => {
    setBusy(true)
    try {
      const result = await act<T>(name, args)
      setNotice({ text: typeof success === 'string' ? success : success(result) })
      return result
    } catch (error) {
      setNotice({ text: error instanceof ApiError ? error.message : String(error), isError: true })
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { run, notice, setNotice, isBusy }
}
