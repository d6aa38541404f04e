/**
 * Let an interrupt take effect once: the terminal, npm and tsx each pass it on, and a second one would end Stryker while it
 * writes down what it has found.
 */
export function heedOneInterrupt(): void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const ignoreOthers = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) process.exit(1)
    for (const any of signals) process.removeAllListeners(any).on(any, () => {})
  }
  for (const signal of signals) process.on(signal, ignoreOthers)
}
