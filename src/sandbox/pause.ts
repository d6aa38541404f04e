/** Wait, in real time, until the time is over or the signal ends the wait. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(stop, ms)
    signal?.addEventListener('abort', stop)
  })
}
