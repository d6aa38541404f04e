import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { get } from '../api.js'
import { useLive } from '../hooks.js'

const Now = createContext(Date.now())

const tickMs = 10_000

/** Provides the sandbox's time, in milliseconds since 1970. */
export const NowProvider = Now.Provider

export function useNow(): number {
  return useContext(Now)
}

/** Reads the time again after each change in the sandbox, and every 10 s. */
export function useSandboxClock(): number {
  const [now, setNow] = useState(Date.now())
  const read = () =>
    get('clock').then(
      (clock) => setNow(Date.parse(clock.now)),
      () => undefined,
    )
  useEffect(() => {
    void read()
    const timer = setInterval(read, tickMs)
    return () => clearInterval(timer)
  }, [])
  useLive(['clock', 'status', 'request'], read)
  return now
}
