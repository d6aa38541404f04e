/**
 * Handles one interrupt and ignores others: the terminal, npm and tsx each forward it, and a second one would stop Stryker
 * while it writes its report.
 */
export function handleOneInterrupt(): void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const ignoreOthers = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) process.exit(1)
    for (const any of signals) process.removeAllListeners(any).on(any, () => {})
  }
  for (const signal of signals) process.on(signal, ignoreOthers)
}
