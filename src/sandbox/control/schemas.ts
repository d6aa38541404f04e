import * as z from 'zod/mini'
import type { Sandbox } from '../api.js'
import type { Context } from '../domain/context.js'
import { custom, type Schema } from '../internal/schema.js'
import type { FaultQueue } from '../service/faults.js'
import type { RequestLog } from '../service/request-log.js'
import type { WebhookSender } from '../webhooks/webhooks.js'

/** The sandbox, and the parts of its state that its public object does not show. */
export interface Source {
  readonly sandbox: Sandbox
  readonly context: Context
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly webhooks: WebhookSender
}

export const string = z.string()
export const dateTimeJson = { type: 'string', format: 'date-time' }
export const dateTime = string.check(z.meta(dateTimeJson))
export const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
export const object = <T extends object>() => custom<T>(isObject, 'must be an object', { type: 'object' })
export const hint = <T>(schema: Schema<T>, description: string): Schema<T> => schema.check(z.describe(description))
export const faultBody = custom<string | object>(
  (value) => typeof value === 'string' || isObject(value),
  'must be a string or an object',
  { type: ['string', 'object'] },
)
