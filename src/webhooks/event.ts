import { WebhookPayloadError } from '../errors.js'
import type { KnownEvent } from '../schemas/event.js'
import {
  readDisputeStatusEvent,
  readPaymentRefundEvent,
  readPaymentStatusEvent,
} from '../schemas/generated/normalizers.js'
import { brokenPath, type Guard } from '../schemas/normalizer.js'

/**
 * Stands for every text that is not the type of a known event. The compiler holds an enumeration to be different from
 * any text written out, which is what makes `event.eventType === 'PAYMENT.REFUND'` leave the refund alone.
 */
declare enum AnyOtherText {
  Any = 'any other text',
}

/**
 * The type of an event that is not modelled: `''` if it had none. To compare it with a type that is not listed here,
 * read it as text: `const eventType: string = event.eventType`.
 */
export type UnrecognizedEventType = '' | 'DISPUTE.OPENED' | 'WORKFLOW_RUN.FAILED' | AnyOtherText

/** Properly signed, but not an event that is modelled. */
export interface UnrecognizedEvent {
  /** As it came; `''` if the event had none. */
  eventType: UnrecognizedEventType
  /** The parsed JSON: usually an object, but nothing was checked. */
  payload: unknown
}

/** Every event that is properly signed, narrowed by `eventType`. */
export type WebhookEvent = KnownEvent | UnrecognizedEvent

/** Whether an event is one of the modelled ones. */
export function isRecognized(event: WebhookEvent): event is KnownEvent {
  return isKnown(event.eventType)
}

/** The events that are modelled. The guards stand in for zod, which would be the larger part of this entry. */
const guards: Readonly<Record<KnownEvent['eventType'], Guard>> = {
  'PAYMENT.STATUS': readPaymentStatusEvent,
  'PAYMENT.REFUND': readPaymentRefundEvent,
  'DISPUTE.STATUS': readDisputeStatusEvent,
}

export const knownEventTypes: readonly string[] = Object.keys(guards)

/** The event in a payload. Only a known event that breaks its schema is an error. */
export function readEvent(payload: unknown): WebhookEvent {
  const eventType = eventTypeOf(payload)
  if (!isKnown(eventType)) return { eventType: eventType as UnrecognizedEventType, payload }

  const guard = guards[eventType]
  if (guard(payload)) return payload as KnownEvent
  const issue = { path: brokenPath(guard, payload), message: 'is not what the schema says' }
  throw new WebhookPayloadError(`The ${eventType} event does not fit its schema`, payload, [issue])
}

function isKnown(eventType: string): eventType is KnownEvent['eventType'] {
  return Object.hasOwn(guards, eventType)
}

function eventTypeOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'eventType')) return ''
  const { eventType } = payload as { eventType: unknown }
  return typeof eventType === 'string' ? eventType : ''
}
