import { namesOf } from '../contract/operation.js'
import { Publisher } from '../internal/channels.js'
import { isEndOfIteration } from '../internal/deadline.js'
import type { Settings } from '../settings.js'
import type { AttemptContext, CallIdentity, Result } from './call-record.js'
import { eventOf } from './events.js'
import { givenHeaders } from './headers.js'

export const channels = {
  call: /* @__PURE__ */ new Publisher('call'),
  attempt: /* @__PURE__ */ new Publisher('attempt'),
}

export async function traceCall<T>(identity: CallIdentity, send: () => Promise<T>): Promise<T> {
  const { callId, operation, settings } = identity
  const context = { callId, ...namesOf(operation), ...serverOf(settings) }
  let call: Promise<T> | undefined
  await channels.call.trace(async () => {
    call = send()
    try {
      await call
    } catch (error) {
      if (!isEndOfIteration(error)) throw error
    } finally {
      Object.assign(context, identity.result)
    }
    // Publishes the result event instead of the response data, because the data may contain secrets.
    return identity.result
  }, context)
  return call as Promise<T>
}

/**
 * Publishes an attempt on `payments-client:attempt`. Subscribers of the `start` event may change the request's
 * `headers`.
 */
export async function traceAttempt(context: AttemptContext, send: () => Promise<Result>): Promise<Result> {
  const { call, number, waitedMs } = context
  context.headers = new Headers(givenHeaders(call))
  const facts = eventOf(call, number)
  const event = { ...facts, waitedMs, headers: context.headers, ...serverOf(call.settings) }
  let result: Result | undefined
  const traced = channels.attempt.trace(async () => {
    result = await send()
    const { status, durationMs } = call.attempts.find((attempt) => attempt.number === number) ?? {}
    Object.assign(event, { status, durationMs })
    const error = result.kind === 'failure' ? call.toError(result.failure) : undefined
    if (error !== undefined && !isEndOfIteration(error)) throw error
    // Publishes the data of the hook event instead of the response, for the same reason as `traceCall`.
    return { ...facts, status, durationMs }
  }, event)
  await traced.catch(() => {})
  return result as Result
}

function serverOf({ baseUrl: { hostname, port, protocol } }: Settings) {
  return { serverAddress: hostname, serverPort: Number(port) || (protocol === 'https:' ? 443 : 80) }
}
