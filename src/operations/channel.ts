import { journalKey, type OperationTrace, publisherOf } from '../internal/channels.js'
import type { JournalStore } from './journal.js'

let channel: ReturnType<typeof publisherOf> | undefined

/** Publishes the execution of an open operation on the diagnostics channel `payments-client:operation`. */
export function traceExecution(trace: OperationTrace, journal: JournalStore, work: () => Promise<void>): Promise<void> {
  channel ??= publisherOf('operation')
  if (!channel.hasSubscribers) return work()
  Object.defineProperty(trace, journalKey, { value: journal })
  return channel.tracePromise(work, trace)
}
