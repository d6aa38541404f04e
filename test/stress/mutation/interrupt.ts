/**
 * Handles only the first interrupt.
 *
 * The terminal, npm and tsx each send an interrupt. A second interrupt would end Stryker while it writes its report.
 */
export function handleOneInterrupt(): void {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const ignoreOthers = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) process.exit(1)
    for (const any of signals) process.removeAllListeners(any).on(any, () => {})
  }
  for (const signal of signals) process.on(signal, ignoreOthers)
}
