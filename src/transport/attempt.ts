import { shapeOf } from '../contract/version.js'
import { type Deadline, Interrupted, monotonic } from '../deadline.js'
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
import type { WireAnswer } from './wire.js'

/** What all calls of a client, and of its copies, share. */
export interface Shared {
  readonly slots: Slots
  readonly budget: RetryBudget
  readonly observer: Observer
}

/** One request on the wire, and how it ended. */
export interface AttemptResult {
  readonly durationMs: number
  readonly success?: { readonly data: unknown; readonly answer: WireAnswer }
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
    return await plan.deadline.run(async (signal) => {
      const release = await shared.slots.take(signal)
      try {
        const result = await exchange(plan, shared, progress, signal)
        return { ...result, ...ended(progress, startedAt) }
      } finally {
        release()
      }
    }, plan.timeout)
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
  answer?: WireAnswer
}

/** Loaded with the first request: importing the package stays cheap. */
let wire: typeof import('./wire.js') | undefined

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
  wire ??= await import('./wire.js')
  signal.throwIfAborted()
  plan.deadline.throwIfOver()
  progress.phase = 'connect'
  const onConnected = () => {
    progress.phase = 'headers'
  }
  const { url, body } = request
  const answer = await wire.sendOnWire(
    { method: request.operation.method, url, headers, body, signal, onConnected },
    settings.fetch,
  )
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
  const { operation, params, url } = request
  const fields = JSON.parse(request.body ?? '{}')
  const sent = valuesOf(headers, params, [...url.searchParams.values()], fields)
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
