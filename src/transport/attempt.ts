import type { KyInstance } from 'ky'
import { type Cutoff, Interrupted } from '../internal/deadline.js'
import type { Fetch } from '../options.js'
import { apiKeyProblem, type Settings } from '../settings.js'
import type { AttemptContext, CallRecord, Result } from './call-record.js'
import { isTraced, traceAttempt } from './channels.js'
import { requestStarted, responseReceived, slotDelayed } from './events.js'
import { disconnected, type Failure, interrupted, unreadable, withoutApiKey } from './failure.js'
import type { HttpAdapter } from './http/adapter.js'
import { UnreadableBody } from './http/body.js'
import { sendOverFetch } from './http/fetch.js'
import { prefersNodeHttp, sendOverNode } from './http/node.js'
import type { Slots } from './limits.js'
import { readResponse } from './response.js'

/**
 * Waits for a connection slot and for the API key, then sends one request and reads its response. Publishes the request
 * on the channel for attempts.
 */
export async function attempt(context: AttemptContext): Promise<Result> {
  const { call } = context
  const cutoff = call.deadline.startCutoff(call.request.options.timeout ?? call.settings.timeout)
  const slot = new Slot(call.limits.slots)
  const end = (result: Result): Result => {
    cutoff.end()
    slot.release()
    call.add(context, result)
    return result
  }
  const endWith = (failure: Failure) => end({ kind: 'failure', failure })
  let prepared: Prepared
  try {
    cutoff.throwIfPassed()
    const preparing = prepare(context, cutoff, slot)
    prepared = preparing instanceof Promise ? await cutoff.race(preparing) : preparing
  } catch (error) {
    return endWith(failureOf(error, context))
  }
  if ('failure' in prepared) return endWith(prepared.failure)
  const { apiKey, adapter } = prepared
  const run = async () => {
    try {
      return end(await cutoff.race(send(context, cutoff, apiKey, adapter)))
    } catch (error) {
      return endWith(failureOf(error, context))
    }
  }
  return await (isTraced('attempt') ? traceAttempt(context, run) : run())
}

function failureOf(error: unknown, { call, phase, response }: AttemptContext): Failure {
  if (error instanceof Interrupted) return interrupted(error, phase, call.sent, response?.status)
  if (response === undefined) return disconnected(error, phase)
  return unreadable(response.status, call.sent, error instanceof UnreadableBody ? error.reason : 'truncated')
}

type Prepared = { readonly apiKey: string; readonly adapter: HttpAdapter } | { readonly failure: Failure }

/** Returns a promise only if the attempt has to wait, because promises cost CPU time. */
function prepare({ call }: AttemptContext, cutoff: Cutoff, slot: Slot): Prepared | Promise<Prepared> {
  const { apiKey } = call.settings
  slot.isTaken = call.limits.slots.takeFree()
  return slot.isTaken && typeof apiKey === 'string'
    ? withAdapter(apiKey, call.settings)
    : waitAndPrepare(call, cutoff, slot)
}

async function waitAndPrepare(call: CallRecord, cutoff: Cutoff, slot: Slot): Promise<Prepared> {
  if (!slot.isTaken) await waitForSlot(call, cutoff)
  slot.isTaken = true
  // Releases the slot at the deadline, because a caller-supplied function such as `apiKey` may never settle.
  cutoff.listen(() => slot.release())
  const { apiKey } = call.settings
  const key = typeof apiKey === 'string' ? { value: apiKey } : await callForKey(apiKey)
  return key.value === undefined ? { failure: withoutApiKey(key.problem) } : withAdapter(key.value, call.settings)
}

function withAdapter(apiKey: string, settings: Settings): Prepared | Promise<Prepared> {
  const adapter = adapterFor(settings)
  return adapter instanceof Promise ? adapter.then((adapter) => ({ apiKey, adapter })) : { apiKey, adapter }
}

class Slot {
  isTaken = false

  constructor(private readonly slots: Slots) {}

  release(): void {
    if (this.isTaken) this.slots.release()
    this.isTaken = false
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

async function send(context: AttemptContext, cutoff: Cutoff, apiKey: string, adapter: HttpAdapter): Promise<Result> {
  const { call } = context
  const { request, settings } = call
  cutoff.throwIfPassed()
  call.deadline.throwIfOver()
  context.sentHeaders = headersOf(call, apiKey, requestStarted(context))
  // The hook `onRequest` may have aborted the call.
  cutoff.throwIfPassed()
  context.phase = 'connect'
  const sentAt = settings.runtime.now()
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

/** Prefers `node:http` on Node, because `fetch` uses twice as much CPU. */
function adapterFor({ agent, fetch }: Settings): HttpAdapter | Promise<HttpAdapter> {
  return fetch === undefined && (agent !== undefined || prefersNodeHttp()) ? sendOverNode : createFetchAdapter(fetch)
}

/** Imported on first use, because requests over `node:http` do not need it. */
let ky: KyInstance | undefined

async function createFetchAdapter(fetch: Fetch | undefined): Promise<HttpAdapter> {
  ky ??= (await import('ky')).default
  const send = ky
  return (request) => sendOverFetch(request, send, fetch)
}
