import type { TimeoutPhase } from '../errors.js'
import { type Cutoff, type Deadline, Interrupted, monotonic } from '../internal/deadline.js'
import { apiKeyProblem } from '../settings.js'
import { version } from '../version.js'
import type { RetryBudget } from './budget.js'
import { disconnected, type Failure, interrupted, unreadable, withoutKey } from './failure.js'
import type { WireAnswer } from './http/adapter.js'
import { UnreadableBody } from './http/body.js'
import { carrierFor } from './http/choose.js'
import { callEvent, type Observer } from './observer.js'
import { type Question, type Result, readResult, type SentHeaders } from './read-response.js'
import type { Slots } from './slots.js'

/** What all calls of a client, and of its copies, share. */
export interface Shared {
  readonly slots: Slots
  readonly budget: RetryBudget
  readonly observer: Observer
}

/** One request on the wire, and how it ended. */
export interface AttemptResult extends Result {
  readonly durationMs: number
  /** Whether a request was handed to the network at all. */
  readonly dispatched: boolean
}

/** Everything one attempt needs. */
export interface AttemptPlan extends Question {
  readonly deadline: Deadline
  readonly timeout: number
}

/** Send one request and read its answer, as far as time, the caller and the connection allow. Never throws. */
export async function attempt(plan: AttemptPlan, shared: Shared): Promise<AttemptResult> {
  const progress: Progress = { phase: 'queue' }
  const startedAt = monotonic()
  let ended: Result
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

/** Wait for a place, and exchange there. */
async function inPlace(plan: AttemptPlan, shared: Shared, progress: Progress, cutoff: Cutoff): Promise<Result> {
  if (!shared.slots.takeFree()) await shared.slots.wait(cutoff)
  let taken = true
  const giveBack = () => {
    if (taken) shared.slots.release()
    taken = false
  }
  // At once, for a function of the caller's may never settle.
  cutoff.listen(giveBack)
  try {
    return await exchange(plan, shared, progress, cutoff)
  } finally {
    giveBack()
  }
}

async function exchange(plan: AttemptPlan, shared: Shared, progress: Progress, cutoff: Cutoff): Promise<Result> {
  const { request, settings } = plan
  const apiKey =
    typeof settings.apiKey === 'string'
      ? { key: settings.apiKey, problem: undefined }
      : await askForKey(settings.apiKey)
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

  return readResult(plan, shared.observer, answer, headers)
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
    return problem === undefined ? { key, problem } : { problem: `What the apiKey function returned ${problem}` }
  } catch {
    return { problem: 'The apiKey function failed' }
  }
}

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
