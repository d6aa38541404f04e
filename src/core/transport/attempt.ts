import { Interrupted } from '../internal/deadline.js'
import type { Fetch } from '../options.js'
import { apiKeyProblem, type Settings } from '../settings.js'
import type { AttemptContext, Result } from './call-record.js'
import { channels, traceAttempt } from './channels.js'
import { responseReceived, slotDelayed } from './events.js'
import { disconnected, type Failure, interrupted, isSuccess, unreadable, unsendable } from './failure.js'
import { headersOf } from './headers.js'
import type { HttpAdapter } from './http/adapter.js'
import { UnreadableBody } from './http/body.js'
import { overFetch } from './http/fetch.js'
import { sendOverNode } from './http/node.js'
import { prefersNodeHttp } from './http/runtime.js'
import { secretsOf } from './redact.js'
import { readResponse, rejection } from './response.js'

/**
 * Waits for a connection slot and for the API key, then sends one request and reads its response. Publishes the request
 * on the channel for attempts.
 */
export async function attempt(context: AttemptContext): Promise<Result> {
  const { call, cutoff } = context
  const { apiKey } = call.settings
  let key: ApiKey
  let adapter: HttpAdapter
  try {
    cutoff.throwIfPassed()
    if (!context.takeFreeSlot()) await waitForSlot(context)
    // Releases the connection slot at the deadline, because a caller's function such as `apiKey` may never settle.
    cutoff.listen(() => context.releaseSlot())
    key = typeof apiKey === 'string' ? { value: apiKey } : await cutoff.race(callForKey(apiKey))
    adapter = isOverNode(call.settings) ? sendOverNode : await cutoff.race(loadFetchAdapter(call.settings.fetch))
    call.deadline.throwIfOver()
  } catch (error) {
    return context.fail(failureOf(error, context))
  }
  if (key.value === undefined) return context.fail(unsendable(key.problem, call.sent))
  const { value } = key
  const exchange = () => send(context, value, adapter)
  return channels.attempt.hasSubscribers ? traceAttempt(context, exchange) : exchange()
}

const slotWarningDelayMs = 1_000

async function waitForSlot(context: AttemptContext): Promise<void> {
  const { call } = context
  const { runtime } = call.settings
  const timer = call.isSlotDelayed ? undefined : runtime.setTimeout(() => slotDelayed(call), slotWarningDelayMs)
  try {
    await context.waitForSlot()
  } finally {
    runtime.clearTimeout(timer)
  }
}

async function send(context: AttemptContext, apiKey: string, adapter: HttpAdapter): Promise<Result> {
  const { call, cutoff } = context
  const { request, settings } = call
  try {
    const problem = call.sendingRules && (await cutoff.race(call.sendingRules.problem()))
    if (problem) return context.fail(unsendable(problem, call.sent))
    const headers = headersOf(context, apiKey)
    context.sentHeaders = headers
    // Stops here if the hook `onRequest` has aborted the call.
    cutoff.throwIfPassed()
    context.phase = 'connect'
    context.sentAt = settings.runtime.now()
    const result = await adapter<Result>({
      method: request.operation.method,
      baseUrl: settings.baseUrl,
      target: request.target,
      agent: settings.agent,
      headers,
      body: request.body,
      maxBytes: settings.maxResponseBytes,
      cutoff,
      onConnected: () => {
        context.phase = 'headers'
      },
      onResponse: (response) => {
        context.phase = 'body'
        context.response = response
        responseReceived(context, response.status)
      },
      parse: (body) => readResponse(context, body),
    })
    return context.end(result)
  } catch (error) {
    return context.fail(failureOf(error, context))
  }
}

function failureOf(error: unknown, context: AttemptContext): Failure {
  const { call, phase, response, sentHeaders } = context
  if (error instanceof Interrupted) return interrupted(error, phase, call.sent, response?.status)
  if (response === undefined) return disconnected(error, phase, call.sent, secretsOf(sentHeaders, call.request))
  // Ignores an unreadable body of an error response, because the status alone identifies the error.
  if (!isSuccess(response.status)) return rejection(context, response, undefined, error instanceof UnreadableBody)
  return unreadable(response.status, call.sent, error instanceof UnreadableBody ? error.reason : 'truncated')
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

/** Prefers `node:http` on Node, because a fetch does not report whether it sent the request. */
function isOverNode({ agent, fetch }: Settings): boolean {
  return fetch === undefined && (agent !== undefined || prefersNodeHttp())
}

/** Imports ky on first use, because requests over `node:http` do not need it. */
async function loadFetchAdapter(fetch: Fetch | undefined): Promise<HttpAdapter> {
  const { default: ky } = await import('ky')
  return overFetch(ky, fetch)
}
