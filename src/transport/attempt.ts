import { shapeOf } from '../contract/version.js'
import { type Cutoff, type Deadline, Interrupted, monotonic } from '../deadline.js'
import type { TimeoutPhase } from '../errors.js'
import { check } from '../schemas/schema.js'
import { apiKeyProblem, type Settings } from '../settings.js'
import { version } from '../version.js'
import { hasErrorEnvelope, readRefusal } from './answer.js'
import { parseJson, UnreadableBody } from './body.js'
import type { RetryBudget } from './budget.js'
import { disconnected, type Failure, interrupted, offContract, refusedBy, unreadable, withoutKey } from './failure.js'
import { callEvent, type Observer } from './observer.js'
import { valuesOf } from './redact.js'
import { isPlainObject, type PreparedRequest, paymentIn } from './request.js'
import type { Slots } from './slots.js'
import { carrierFor, type WireAnswer } from './wire.js'

/** What all calls of a client, and of its copies, share. */
export interface Shared {
  readonly slots: Slots
  readonly budget: RetryBudget
  readonly observer: Observer
}

/** One request on the wire, and how it ended. */
export interface AttemptResult {
  readonly durationMs: number
  readonly success?: { readonly data: unknown; readonly answer: WireAnswer } | undefined
  readonly failure?: Failure | undefined
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
  let ended: Exchanged
  try {
    ended = await plan.deadline.run((cutoff) => inPlace(plan, shared, progress, cutoff), plan.timeout)
  } catch (error) {
    ended = { failure: explain(error, progress) }
  }
  const { success, failure } = ended
  return { durationMs: monotonic() - startedAt, success, failure, dispatched: progress.phase !== 'queue' }
}

/** How far an attempt has come: what a failure means depends on it. */
interface Progress {
  phase: TimeoutPhase
  answer?: WireAnswer
}

type Exchanged = Pick<AttemptResult, 'success' | 'failure'>

/** Wait for a place, and exchange there. */
async function inPlace(plan: AttemptPlan, shared: Shared, progress: Progress, cutoff: Cutoff): Promise<Exchanged> {
  if (!shared.slots.takeFree()) await shared.slots.wait(cutoff)
  try {
    return await exchange(plan, shared, progress, cutoff)
  } finally {
    shared.slots.release()
  }
}

async function exchange(plan: AttemptPlan, shared: Shared, progress: Progress, cutoff: Cutoff): Promise<Exchanged> {
  const { request, settings } = plan
  const apiKey = typeof settings.apiKey === 'string' ? { key: settings.apiKey } : await askForKey(settings.apiKey)
  if (apiKey.problem !== undefined) return { failure: withoutKey(apiKey.problem) }
  cutoff.throwIfPassed()

  const headers = headersOf(plan, apiKey.key)
  const event = callEvent(request.operation, plan.number, plan.idempotencyKey)
  shared.observer.requestSent(settings, event)
  const sentAt = monotonic()
  const found = carrierFor(settings.fetch)
  const carry = found instanceof Promise ? await found : found
  cutoff.throwIfPassed()
  plan.deadline.throwIfOver()
  progress.phase = 'connect'
  const answer = await carry({
    method: request.operation.method,
    baseUrl: settings.baseUrl,
    target: request.target,
    headers,
    body: request.body,
    cutoff,
    onConnected: () => {
      progress.phase = 'headers'
    },
  })
  progress.phase = 'body'
  progress.answer = answer
  shared.observer.responseReceived(settings, event, answer.status, monotonic() - sentAt)

  const ok = answer.status >= 200 && answer.status < 300
  return ok ? readSuccess(plan, shared, answer, headers) : readFailure(plan, answer, headers)
}

async function readSuccess(
  plan: AttemptPlan,
  shared: Shared,
  answer: WireAnswer,
  headers: SentHeaders,
): Promise<Exchanged> {
  const { request, settings } = plan
  const { operation } = request
  // Something that was compressed and comes out empty was cut off.
  const mayBeEmpty = operation.responseOptional === true && !answer.headers.has('content-encoding')
  const { text, body } = await answer.read(settings.maxResponseBytes, (text) => {
    return { text, body: text === '' && mayBeEmpty ? undefined : parseJson(text) }
  })
  if (body === undefined) return success(answer, undefined)
  if (hasErrorEnvelope(body)) return refusal(plan, answer, body, headers)
  // Whatever the setting, what is no object is nothing a caller could use.
  const { responseValidation } = isPlainObject(body) ? settings : { responseValidation: 'throw' }
  if (responseValidation === 'off') return success(answer, body)
  const schema = operation.response[shapeOf(settings.apiVersion)]
  if (schema.guard?.(body)) return success(answer, body)
  const checked = check(schema.received, body)
  if (checked.issues === undefined) return success(answer, checked.value)
  // Parsed anew, since the guard may have read a `null` as absent: this is shown as it came.
  const asItCame = parseJson(text)
  if (responseValidation === 'throw') return { failure: offContract(answer.status, checked.issues, asItCame) }
  shared.observer.offContract(settings, callEvent(operation, plan.number, plan.idempotencyKey), checked.issues)
  return success(answer, asItCame)
}

function success(answer: WireAnswer, data: unknown): Exchanged {
  return { success: { data, answer } }
}

async function readFailure(plan: AttemptPlan, answer: WireAnswer, headers: SentHeaders): Promise<Exchanged> {
  const body = await answer.read(plan.settings.maxResponseBytes, jsonOrText).catch(orNothing)
  return refusal(plan, answer, body, headers)
}

function refusal({ request }: AttemptPlan, answer: WireAnswer, body: unknown, headers: SentHeaders): Exchanged {
  const { operation, params, query } = request
  const fields = JSON.parse(request.body ?? '{}')
  const sent = valuesOf(headers, params, [...query.values()], fields)
  const paymentIds = [paymentIn(request), fields.paymentId]
  return { failure: refusedBy(readRefusal(answer, body, sent, paymentIds), operation.method, operation.scope) }
}

/** The status says enough: a refusal whose body broke off is still a refusal. */
function orNothing(error: unknown): undefined {
  if (error instanceof Interrupted) throw error
}

function jsonOrText(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

function explain(error: unknown, { phase, answer }: Progress): Failure {
  if (error instanceof Interrupted) return interrupted(error, phase, answer?.status)
  if (answer === undefined) return disconnected(error, phase)
  return unreadable(answer.status, error instanceof UnreadableBody ? error.reason : 'truncated')
}

type ApiKey = { readonly key: string; readonly problem?: undefined } | { readonly problem: string }

/** What the caller's function says the key is now. */
async function askForKey(apiKey: () => string | Promise<string>): Promise<ApiKey> {
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
