import { ConfigurationError, WebhookPayloadError, WebhookVerificationError } from '../errors.js'
import { parseDatetime } from '../internal/calendar.js'
import { DisputeStatusEvent, type KnownEvent, PaymentRefundEvent, PaymentStatusEvent } from '../schemas/event.js'
import { normalize } from '../schemas/normalize.js'
import type { Schema } from '../schemas/schema.js'
import type { WebhookResource } from '../stores/webhook-store.js'
import type { VerifySettings } from './options.js'

/**
 * Any event type that is not modelled. The compiler treats an enum member as different from every string literal, so
 * `event.eventType === 'PAYMENT.REFUND'` narrows to the refund event.
 */
declare enum AnyOtherType {
  Any = 'any other type',
}

/**
 * The type of an unrecognized event; `''` if the event has none. To compare it with a type that is not in this union,
 * read it as a string: `const eventType: string = event.eventType`.
 */
export type UnrecognizedEventType = '' | 'DISPUTE.OPENED' | 'WORKFLOW_RUN.FAILED' | AnyOtherType

/** A properly signed payload that is not a known event. */
export interface UnrecognizedEvent {
  /** As received; `''` if it is missing or not a string. */
  eventType: UnrecognizedEventType
  /** The parsed JSON, unchecked: usually an object. */
  payload: unknown
}

/** Every properly signed event, narrowed by `eventType`. */
export type WebhookEvent = KnownEvent | UnrecognizedEvent

/** Returns whether an event has one of the known types. */
export function isRecognized(event: WebhookEvent): event is KnownEvent {
  return isKnown(event.eventType)
}

const schemas: Readonly<Record<KnownEvent['eventType'], Schema<unknown>>> = {
  'PAYMENT.STATUS': PaymentStatusEvent,
  'PAYMENT.REFUND': PaymentRefundEvent,
  'DISPUTE.STATUS': DisputeStatusEvent,
}

/** Parses the JSON of a signed body. Skips a byte order mark. */
export function parsePayload(body: string | Uint8Array): unknown {
  const json = typeof body === 'string' ? body.replace(/^\uFEFF/, '') : decodeUtf8(body)
  try {
    return JSON.parse(json)
  } catch {
    // The message of the parser's error would quote the body.
    throw new WebhookPayloadError('The body is properly signed, but is not JSON', json)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new WebhookPayloadError('The body is properly signed, but is not UTF-8', new TextDecoder().decode(bytes))
  }
}

/** Returns the event in a payload. Throws if a known event violates its schema. */
export function readEvent(payload: unknown): WebhookEvent {
  const eventType = eventTypeOf(payload)
  if (!isKnown(eventType)) return { eventType: eventType as UnrecognizedEventType, payload }

  const issues = normalize(schemas[eventType], payload)
  if (issues.length === 0) return payload as KnownEvent
  throw new WebhookPayloadError(`The ${eventType} event violates its schema`, payload, issues)
}

function isKnown(eventType: string): eventType is KnownEvent['eventType'] {
  return Object.hasOwn(schemas, eventType)
}

function eventTypeOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'eventType')) return ''
  const { eventType } = payload as { eventType: unknown }
  return typeof eventType === 'string' ? eventType : ''
}

/** Rejects an event whose time differs from now by more than `tolerance`, or cannot be read. */
export function checkAge(payload: unknown, { tolerance, now }: VerifySettings): void {
  if (tolerance === undefined) return
  const { signedAt, date } = Object(payload) as { signedAt?: unknown; date?: unknown }
  const time = signedAt ?? date
  if (time === undefined || time === null) return
  const nowMs = Number(typeof now === 'function' ? now() : now)
  if (Number.isNaN(nowMs)) throw new ConfigurationError('now must return a valid Date')
  const ageMs = nowMs - timeOf(time)
  // An unreadable time is NaN and fails this comparison too.
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

/** Later than the year 5000 in seconds, so larger numbers are milliseconds. */
const largestSeconds = 1e11

/** Reads seconds or milliseconds since 1970, or a datetime, as milliseconds. Returns NaN if it is none of these. */
export function timeOf(time: unknown): number {
  if (!/^\d+(\.\d+)?$/.test(String(time))) return parseDatetime(time)
  const value = Number(time)
  return value < largestSeconds ? value * 1000 : value
}

/** Returns the payment that an event belongs to, and when it was last updated. */
export function resourceOf(event: WebhookEvent): WebhookResource | undefined {
  if (!isRecognized(event)) return undefined
  if (event.eventType === 'DISPUTE.STATUS') {
    const id = event.paymentId ?? event.orderId
    return id === undefined ? undefined : { id: `payment:${id}` }
  }
  const { payment, date } = event
  const timeMs = timeOf(payment.dateUpdated ?? date)
  return { id: `payment:${payment.id}`, ...(Number.isNaN(timeMs) ? undefined : { timeMs }) }
}
