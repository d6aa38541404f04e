import { ConfigurationError } from '../core/errors.js'
import { parsePrecisely } from '../core/internal/calendar.js'
import { eventSchemas, type KnownEvent } from '../core/schemas/event.js'
import { parse } from '../core/schemas/parse.js'
import type { WebhookResource } from '../stores/contract.js'
import { WebhookPayloadError, WebhookVerificationError } from './errors.js'
import type { VerifySettings } from './options.js'

/**
 * An event type that this version of the package does not support.
 *
 * This is an enum, because TypeScript treats an enum member as different from every string literal, so that
 * `event.eventType === 'PAYMENT.REFUND'` narrows to the refund event.
 */
declare enum AnyOtherType {
  Any = 'any other type',
}

/**
 * The type of an unrecognized event, or `''` if the event has none.
 *
 * To compare it with other strings, first assign it to a string variable: `const eventType: string = event.eventType`.
 */
export type UnrecognizedEventType = '' | 'DISPUTE.OPENED' | 'WORKFLOW_RUN.FAILED' | AnyOtherType

/** An event of an unknown type, with a valid signature. */
export interface UnrecognizedEvent {
  /** The type as received, or `''` if it is missing or not a string. */
  eventType: UnrecognizedEventType
  /** The parsed JSON, usually an object. Not validated. */
  payload: unknown
}

/** An event with a valid signature. `eventType` narrows the type. */
export type WebhookEvent = KnownEvent | UnrecognizedEvent

/** Returns whether an event has one of the known types. */
export function isRecognized(event: WebhookEvent): event is KnownEvent {
  return isKnown(event.eventType)
}

function parsePayload(body: string | Uint8Array): unknown {
  const json = typeof body === 'string' ? body.replace(/^\uFEFF/, '') : decodeUtf8(body)
  try {
    return JSON.parse(json)
  } catch {
    // Omits the parser's error, because its message would quote the body.
    throw new WebhookPayloadError('The body is properly signed, but is not JSON', json)
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new WebhookPayloadError('The body is properly signed, but is not UTF-8', new TextDecoder().decode(bytes))
  }
}

/** Parses the body of a webhook whose signature matches. */
export function readEvent(body: string | Uint8Array, settings: VerifySettings): WebhookEvent {
  const payload = parsePayload(body)
  checkAge(payload, settings)
  const eventType = eventTypeOf(payload)
  if (!isKnown(eventType)) return { eventType: eventType as UnrecognizedEventType, payload }

  const { data, issues } = parse(eventSchemas[eventType], payload)
  if (issues.length === 0) return data as KnownEvent
  throw new WebhookPayloadError(`The ${eventType} event violates its schema`, payload, issues)
}

function isKnown(eventType: string): eventType is KnownEvent['eventType'] {
  return Object.hasOwn(eventSchemas, eventType)
}

/** Returns the type of an event, or `''` if the event has none. */
export function eventTypeOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'eventType')) return ''
  const { eventType } = payload as { eventType: unknown }
  return typeof eventType === 'string' ? eventType : ''
}

function checkAge(payload: unknown, { tolerance, now }: VerifySettings): void {
  if (tolerance === undefined) return
  const { signedAt, date } = Object(payload) as { signedAt?: unknown; date?: unknown }
  const time = signedAt ?? date
  if (time === undefined || time === null) return
  const nowMs = Number(typeof now === 'function' ? now() : now)
  if (Number.isNaN(nowMs)) throw new ConfigurationError('now must return a valid Date')
  const ageMs = nowMs - timeOf(time)
  // Negates the comparison, so that an invalid time (NaN) is also rejected.
  if (!(ageMs <= tolerance * 1000)) {
    throw new WebhookVerificationError('too-old', `The event is more than ${tolerance} seconds old (option tolerance)`)
  }
  if (ageMs < -tolerance * 1000) {
    throw new WebhookVerificationError(
      'too-new',
      `The event is more than ${tolerance} seconds in the future (option tolerance): check the clock of this server`,
    )
  }
}

/** Numbers up to this limit are seconds since 1970 (until the year 5138). Larger numbers are milliseconds. */
const largestSeconds = 1e11

/**
 * Converts a time to milliseconds since 1970, with microseconds as a fraction. Accepts seconds or milliseconds since
 * 1970, and datetimes. Returns NaN for any other value.
 */
export function timeOf(time: unknown): number {
  if (!/^\d+(\.\d+)?$/.test(String(time))) return parsePrecisely(time)
  const value = Number(time)
  return value < largestSeconds ? value * 1000 : value
}

/**
 * Returns the payment that an event is about, and the event's time. The event times of each dispute are compared
 * separately, because a payment may have several disputes.
 */
export function resourceOf(event: WebhookEvent): WebhookResource | undefined {
  if (!isRecognized(event)) return undefined
  if (event.eventType !== 'DISPUTE.STATUS') {
    const { payment, date } = event
    return { id: `payment:${payment.id}`, ...withTime(payment.dateUpdated, date) }
  }
  const { paymentId, orderId, processorDisputeId, receivedAt } = event
  const payment = paymentId ?? orderId
  const timeline = processorDisputeId === undefined ? undefined : `dispute:${processorDisputeId}`
  const id = payment === undefined ? timeline : `payment:${payment}`
  if (id === undefined) return undefined
  return timeline === undefined ? { id } : { id, timeline, ...withTime(receivedAt) }
}

/** Returns the first time that is readable. */
function withTime(...times: unknown[]): Pick<WebhookResource, 'timeMs'> {
  const timeMs = times.map(timeOf).find((time) => !Number.isNaN(time))
  return timeMs === undefined ? {} : { timeMs }
}
