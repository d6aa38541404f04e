import { shapeOf } from '../contract/version.js'
import { isObject } from '../internal/objects.js'
import { check } from '../schemas/schema.js'
import type { Settings } from '../settings.js'
import { hasErrorEnvelope, readRefusal } from './error-response.js'
import { type Failure, offContract, refusedBy } from './failure.js'
import type { WireAnswer } from './http/adapter.js'
import { parseJson } from './http/body.js'
import { callEvent, type Observer } from './observer.js'
import { valuesOf } from './redact.js'
import { type PreparedRequest, paymentIn } from './request.js'

/** What one attempt asked. */
export interface Question {
  readonly number: number
  readonly request: PreparedRequest
  readonly settings: Settings
  readonly idempotencyKey: string | undefined
}

/** What one attempt came to. */
export interface Result {
  readonly success?: { readonly data: unknown; readonly answer: WireAnswer } | undefined
  readonly failure?: Failure | undefined
}

export type SentHeaders = Readonly<Record<string, string>>

/** Read an answer, and say what it amounts to. */
export function readResult(
  question: Question,
  observer: Observer,
  answer: WireAnswer,
  headers: SentHeaders,
): Promise<Result> {
  const ok = answer.status >= 200 && answer.status < 300
  return ok ? readSuccess(question, observer, answer, headers) : readFailure(question, answer, headers)
}

async function readSuccess(
  question: Question,
  observer: Observer,
  answer: WireAnswer,
  headers: SentHeaders,
): Promise<Result> {
  const { request, settings } = question
  const { operation } = request
  // Something that was compressed and comes out empty was cut off.
  const mayBeEmpty = operation.responseOptional === true && !answer.headers.has('content-encoding')
  const { text, body } = await answer.read(settings.maxResponseBytes, (text) => {
    return { text, body: text === '' && mayBeEmpty ? undefined : parseJson(text) }
  })
  if (body === undefined) return success(answer, undefined)
  if (hasErrorEnvelope(body)) return refusal(question, answer, body, headers)
  // Whatever the setting, what is no object is nothing a caller could use.
  const { responseValidation } = isObject(body) ? settings : { responseValidation: 'throw' }
  if (responseValidation === 'off') return success(answer, body)
  const schema = operation.response[shapeOf(settings.apiVersion)]
  if (schema.guard?.(body)) return success(answer, body)
  const checked = check(schema.received, body)
  if (checked.issues === undefined) return success(answer, checked.value)
  // Parsed anew, since the guard may have read a `null` as absent: this is shown as it came.
  const asItCame = parseJson(text)
  if (responseValidation === 'throw') return { failure: offContract(answer.status, checked.issues, asItCame) }
  observer.offContract(settings, callEvent(operation, question.number, question.idempotencyKey), checked.issues)
  return success(answer, asItCame)
}

function success(answer: WireAnswer, data: unknown): Result {
  return { success: { data, answer } }
}

async function readFailure(question: Question, answer: WireAnswer, headers: SentHeaders): Promise<Result> {
  // The status says enough: a refusal whose body broke off is still a refusal.
  const body = await answer.read(question.settings.maxResponseBytes, jsonOrText).catch(() => undefined)
  return refusal(question, answer, body, headers)
}

function refusal({ request }: Question, answer: WireAnswer, body: unknown, headers: SentHeaders): Result {
  const { operation, params, query } = request
  const fields = JSON.parse(request.body ?? '{}')
  const sent = valuesOf(headers, params, [...query.values()], fields)
  const paymentIds = [paymentIn(request), fields.paymentId]
  return { failure: refusedBy(readRefusal(answer, body, sent, paymentIds), operation.method, operation.scope) }
}

function jsonOrText(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}
