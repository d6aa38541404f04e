import { namesOf } from '../contract/operation.js'
import { publisherOf } from '../internal/channels.js'
import type { Settings } from '../settings.js'
import type { AttemptContext, CallIdentity, Result } from './call-record.js'
import { eventOf } from './events.js'

type Name = 'call' | 'attempt'

let channels: Readonly<Record<Name, ReturnType<typeof publisherOf>>> | undefined

export function isTraced(name: Name): boolean {
  channels ??= { call: publisherOf('call'), attempt: publisherOf('attempt') }
  return channels[name].hasSubscribers
}

export async function traceCall<T>(identity: CallIdentity, send: () => Promise<T>): Promise<T> {
  const { callId, operation, settings } = identity
  const context = { callId, ...namesOf(operation), ...serverOf(settings) }
  let value: T | undefined
  // Subscribers receive the result event instead of the response data, which may contain secrets.
  await channels?.call.tracePromise(async () => {
    try {
      value = await send()
    } finally {
      Object.assign(context, identity.result)
    }
    return identity.result
  }, context)
  return value as T
}

/** Publishes an attempt on `payments-client:attempt`. Subscribers of its start may change the request's `headers`. */
export async function traceAttempt(context: AttemptContext, send: () => Promise<Result>): Promise<Result> {
  const { call, number, waitedMs } = context
  context.headers = new Headers({ ...call.settings.headers, ...call.request.options.headers })
  const event = { ...eventOf(call, number), waitedMs, headers: context.headers, ...serverOf(call.settings) }
  let result: Result | undefined
  const traced = channels?.attempt.tracePromise(async () => {
    result = await send()
    const { status, durationMs } = call.attempts.find((attempt) => attempt.number === number) ?? {}
    Object.assign(event, { status, durationMs })
    if (result.kind === 'failure') throw call.toError(result.failure)
  }, event)
  await traced?.catch(() => {})
  return result as Result
}

function serverOf({ baseUrl: { hostname, port, protocol } }: Settings) {
  return { serverAddress: hostname, serverPort: Number(port) || (protocol === 'https:' ? 443 : 80) }
}
