import { type Cutoff, Interrupted } from '../internal/deadline.js'
import type { Fetch } from '../options.js'
import { apiKeyProblem, type Settings } from '../settings.js'
import type { AttemptContext, CallRecord, Result } from './call-record.js'
import { requestStarted, responseReceived, slotDelayed } from './events.js'
import { disconnected, type Failure, interrupted, unreadable, withoutApiKey } from './failure.js'
import type { HttpAdapter } from './http/adapter.js'
import { UnreadableBody } from './http/body.js'
import { prefersNodeHttp, sendOverNode } from './http/node.js'
import { readResponse } from './response.js'

export async function attempt(context: AttemptContext): Promise<Result> {
  const { call } = context
  const cutoff = call.deadline.startCutoff(call.request.options.timeout ?? call.settings.timeout)
  let result: Result
  try {
    cutoff.throwIfPassed()
    result = await cutoff.race(sendInSlot(context, cutoff))
  } catch (error) {
    result = { kind: 'failure', failure: failureOf(error, context) }
  }
  cutoff.end()
  call.add(context, result)
  return result
}

function failureOf(error: unknown, { call, phase, response }: AttemptContext): Failure {
  if (error instanceof Interrupted) return interrupted(error, phase, call.sent, response?.status)
  if (response === undefined) return disconnected(error, phase)
  return unreadable(response.status, call.sent, error instanceof UnreadableBody ? error.reason : 'truncated')
}

async function sendInSlot(context: AttemptContext, cutoff: Cutoff): Promise<Result> {
  const { slots } = context.call.limits
  if (!slots.takeFree()) await waitForSlot(context.call, cutoff)
  let isTaken = true
  const release = () => {
    if (isTaken) slots.release()
    isTaken = false
  }
  // Releases the slot at the deadline, because a caller-supplied function such as `apiKey` may never settle.
  cutoff.listen(release)
  try {
    return await send(context, cutoff)
  } finally {
    release()
  }
}

const slotWarningDelayMs = 1_000

async function waitForSlot(call: CallRecord, cutoff: Cutoff): Promise<void> {
  const { runtime } = call.settings
  const timer = call.isSlotDelayed ? undefined : runtime.setTimeout(() => slotDelayed(call), slotWarningDelayMs)
  try {
    await call.limits.slots.wait(cutoff)
  } finally {
    runtime.clearTimeout(timer)
  }
}

async function send(context: AttemptContext, cutoff: Cutoff): Promise<Result> {
  const { call } = context
  const { request, settings } = call
  const { apiKey } = settings
  const key = typeof apiKey === 'string' ? { value: apiKey } : await callForKey(apiKey)
  if (key.value === undefined) return { kind: 'failure', failure: withoutApiKey(key.problem) }
  cutoff.throwIfPassed()

  context.sentHeaders = headersOf(call, key.value, requestStarted(context))
  const sentAt = settings.runtime.now()
  const found = adapterFor(settings)
  const adapter = found instanceof Promise ? await found : found
  cutoff.throwIfPassed()
  call.deadline.throwIfOver()
  context.phase = 'connect'
  const response = await adapter({
    method: request.operation.method,
    baseUrl: settings.baseUrl,
    target: request.target,
    agent: settings.agent,
    headers: context.sentHeaders,
    body: request.body,
    cutoff,
    onConnected: () => {
      context.phase = 'headers'
    },
  })
  context.phase = 'body'
  context.response = response
  responseReceived(context, response.status, settings.runtime.now() - sentAt)
  return readResponse(context, response)
}

type ApiKey = { readonly value: string } | { readonly value?: undefined; readonly problem: string }

async function callForKey(apiKey: () => string | Promise<string>): Promise<ApiKey> {
  try {
    const value = await apiKey()
    const problem = apiKeyProblem(value)
    return problem === undefined
      ? { value }
      : { problem: `The key that the apiKey function returned ${problem.message}` }
  } catch {
    return { problem: 'The apiKey function threw an error or rejected' }
  }
}

function headersOf(
  { request, settings, idempotencyKey }: CallRecord,
  apiKey: string,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...own,
    accept: 'application/json',
    'user-agent': settings.userAgent,
    'x-api-key': apiKey,
    'x-api-version': settings.apiVersion,
  }
  if (request.body !== undefined) headers['content-type'] = 'application/json'
  if (idempotencyKey !== undefined) headers['x-idempotency-key'] = idempotencyKey
  return headers
}

/** Imported on first use, because it imports ky, which requests over `node:http` do not need. */
let fetchAdapter: typeof import('./http/fetch.js') | undefined

/** Prefers `node:http` on Node, because `fetch` uses twice as much CPU. */
function adapterFor({ agent, fetch }: Settings): HttpAdapter | Promise<HttpAdapter> {
  return fetch === undefined && (agent !== undefined || prefersNodeHttp()) ? sendOverNode : loadFetchAdapter(fetch)
}

async function loadFetchAdapter(fetch: Fetch | undefined): Promise<HttpAdapter> {
  fetchAdapter ??= await import('./http/fetch.js')
  const { sendOverFetch } = fetchAdapter
  return (request) => sendOverFetch(request, fetch)
}
