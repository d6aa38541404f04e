import { shapeOf } from '../contract/version.js'
import { type Deadline, Interrupted, monotonic } from '../deadline.js'
import type { TimeoutPhase } from '../errors.js'
import { check } from '../schemas/schema.js'
import { apiKeyProblem, type Settings } from '../settings.js'
import { version } from '../version.js'
import { hasErrorEnvelope, readRefusal } from './answer.js'
import { parseJson, readText, UnreadableBody } from './body.js'
import {
  aborted,
  disconnected,
  type Failure,
  offContract,
  refusedBy,
  timedOut,
  unreadable,
  withoutKey,
} from './failure.js'
import { callEvent, type Observer } from './observer.js'
import { valuesOf } from './redact.js'
import { isPlainObject, type PreparedRequest } from './request.js'
import type { Slots } from './slots.js'

/** What all calls of a client, and of its copies, share. */
export interface Shared {
  readonly slots: Slots
  readonly observer: Observer
}

/** One request on the wire, and how it ended. */
export interface AttemptResult {
  readonly durationMs: number
  readonly success?: { readonly data: unknown; readonly status: number; readonly headers: Headers }
  readonly failure?: Failure
  /** Whether a request was handed to the network at all. */
  readonly dispatched: boolean
}

/** Everything one attempt needs. */
export interface AttemptPlan {
  readonly number: number
  readonly request: PreparedRequest
  readonly settings: Settings
  readonly idempotencyKey: string | undefined
  readonly deadline: Deadline
  readonly timeout: number
}

/** Send one request and read its answer, as far as time, the caller and the connection allow. Never throws. */
export async function attempt(plan: AttemptPlan, shared: Shared): Promise<AttemptResult> {
  const progress: Progress = { phase: 'queue' }
  const startedAt = monotonic()
  try {
    return await plan.deadline.run(plan.timeout, async (signal) => {
      const release = await shared.slots.take(signal)
      try {
        const result = await exchange(plan, shared, progress, signal)
        return { ...result, ...ended(progress, startedAt) }
      } finally {
        release()
      }
    })
  } catch (error) {
    return { failure: explain(error, progress), ...ended(progress, startedAt) }
  }
}

function ended({ phase }: Progress, startedAt: number) {
  return { durationMs: monotonic() - startedAt, dispatched: phase !== 'queue' }
}

/** How far an attempt has come: what a failure means depends on it. */
interface Progress {
  phase: TimeoutPhase
  response?: Response
}

type Exchanged = Pick<AttemptResult, 'success' | 'failure'>

async function exchange(
  plan: AttemptPlan,
  shared: Shared,
  progress: Progress,
  signal: AbortSignal,
): Promise<Exchanged> {
  const { request, settings } = plan
  const apiKey = await currentKey(settings)
  if (apiKey.problem !== undefined) return { failure: withoutKey(apiKey.problem) }
  signal.throwIfAborted()

  const headers = headersOf(plan, apiKey.key)
  const event = callEvent(request.operation, plan.number, plan.idempotencyKey)
  shared.observer.requestSent(settings, event)
  const sentAt = monotonic()
  const { sendOnWire } = await import('./wire.js')
  signal.throwIfAborted()
  progress.phase = 'headers'
  const response = await sendOnWire(
    { method: request.operation.method, url: request.url, headers, body: request.body, signal },
    settings.fetch,
  )
  progress.phase = 'body'
  progress.response = response
  shared.observer.responseReceived(settings, event, response.status, monotonic() - sentAt)

  return response.ok ? readSuccess(plan, shared, response, headers) : readFailure(plan, response, headers)
}

async function readSuccess(
  plan: AttemptPlan,
  shared: Shared,
  response: Response,
  headers: SentHeaders,
): Promise<Exchanged> {
  const { request, settings } = plan
  const { operation } = request
  const text = await readText(response, settings.maxResponseBytes)
  if (text === '' && operation.responseOptional) return success(response, undefined)
  const body = parseJson(text)
  if (hasErrorEnvelope(body)) return refusal(plan, response, body, headers)
  const schema = operation.response[shapeOf(settings.apiVersion)].received
  if (settings.responseValidation === 'off' && isPlainObject(body)) return success(response, body)
  const checked = check(schema, body)
  if (checked.issues === undefined) return success(response, checked.value)
  if (settings.responseValidation === 'throw' || !isPlainObject(body)) {
    return { failure: offContract(response.status, checked.issues, body) }
  }
  shared.observer.offContract(settings, callEvent(operation, plan.number, plan.idempotencyKey), checked.issues)
  return success(response, body)
}

function success(response: Response, data: unknown): Exchanged {
  return { success: { data, status: response.status, headers: response.headers } }
}

async function readFailure(plan: AttemptPlan, response: Response, headers: SentHeaders): Promise<Exchanged> {
  const text = await readText(response, plan.settings.maxResponseBytes).catch(orNothing)
  return refusal(plan, response, jsonOrText(text), headers)
}

function refusal({ request }: AttemptPlan, response: Response, body: unknown, headers: SentHeaders): Exchanged {
  const { operation, params, url, bodyValue } = request
  const sent = valuesOf(headers, params, [...url.searchParams.values()], bodyValue)
  return { failure: refusedBy(readRefusal(response, body, sent), operation.method, operation.scope) }
}

/** The status says enough: a refusal whose body broke off is still a refusal. */
function orNothing(error: unknown): string {
  if (error instanceof Interrupted) throw error
  return ''
}

function jsonOrText(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

function explain(error: unknown, { phase, response }: Progress): Failure {
  if (error instanceof Interrupted) {
    const { interruption } = error
    return interruption.kind === 'timeout'
      ? timedOut(phase, interruption.timeoutMs, response?.status)
      : aborted(phase, interruption.reason, response?.status)
  }
  if (response === undefined) return disconnected(error)
  return unreadable(response.status, error instanceof UnreadableBody ? error.reason : 'truncated')
}

type ApiKey = { readonly key: string; readonly problem?: undefined } | { readonly problem: string }

async function currentKey({ apiKey }: Settings): Promise<ApiKey> {
  if (typeof apiKey === 'string') return { key: apiKey }
  try {
    const key = await apiKey()
    const problem = apiKeyProblem(key)
    return problem === undefined ? { key } : { problem: `What the apiKey function returned ${problem}` }
  } catch {
    return { problem: 'The apiKey function failed' }
  }
}

type SentHeaders = Readonly<Record<string, string>>

function headersOf({ request, settings, idempotencyKey }: AttemptPlan, apiKey: string): SentHeaders {
  return {
    ...request.options.headers,
    accept: 'application/json',
    'user-agent': `payments-client/${version}`,
    'x-api-key': apiKey,
    'x-api-version': settings.apiVersion,
    ...(request.body === undefined ? undefined : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? undefined : { 'x-idempotency-key': idempotencyKey }),
  }
}
