import { headersProblem, toHeaders } from '../internal/headers.js'
import type { AttemptContext, CallRecord } from './call-record.js'
import { headersIgnored, requestStarted } from './events.js'

type HeaderRecord = Readonly<Record<string, string>>

/** Returns the headers that the caller passed to the client and to the call. */
export function givenHeaders({ settings, request }: CallRecord): HeaderRecord {
  return { ...settings.headers, ...request.options.headers }
}

/** Returns the headers of a request. Channel subscribers and the hook `onRequest` may change the caller's headers. */
export function headersOf(context: AttemptContext, apiKey: string): HeaderRecord {
  const { call, headers: subscribed } = context
  const { request, settings, idempotencyKey } = call
  const given = (subscribed && changesFrom('the channel', subscribed, context)) ?? givenHeaders(call)
  // Created only for a hook, because the class `Headers` makes Node load its fetch.
  const headers = settings.hooks.onRequest && new Headers(given)
  const isHookCalled = requestStarted(context, headers)
  return {
    ...((headers && isHookCalled && changesFrom('onRequest', headers, context)) || given),
    accept: 'application/json',
    'user-agent': settings.userAgent,
    'x-api-key': apiKey,
    'x-api-version': settings.apiVersion,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'x-idempotency-key': idempotencyKey }),
  }
}

/** Returns changed headers. If they are invalid, logs the problem and returns `undefined`. */
function changesFrom(source: string, headers: Headers, context: AttemptContext): HeaderRecord | undefined {
  const problem = headersProblem(headers)
  if (problem) headersIgnored(context, `${source}: ${problem.message}`)
  return problem ? undefined : toHeaders(headers)
}
