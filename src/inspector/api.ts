import type { DisputeStatusEvent } from '../schemas/event.js'
import type { EventPayment } from '../schemas/payment.js'

export interface Page<T> {
  data: T[]
  nextCursor?: string
}

export interface StatusChange {
  status: string
  at: string
}

export interface PaymentRow {
  payment: EventPayment
  history: StatusChange[]
}

export interface PaymentDetails extends PaymentRow {
  requests: RecordedRequest[]
  deliveries: RecordedDelivery[]
  /** The events of all disputes, oldest first. */
  disputes: DisputeStatusEvent[]
}

export interface RecordedRequest {
  id: string
  at: string
  operation?: string
  method: string
  path: string
  requestHeaders: Record<string, string>
  requestBody: string
  /** Absent if a fault prevented the response. */
  status?: number
  responseBody: string
  durationMs: number
  userAgent?: string
}

export interface RecordedDelivery {
  id: string
  at: string
  eventType: string
  url: string
  headers: Record<string, string>
  body: string
  status?: number
  responseBody?: string
  error?: string
}

export interface Effect {
  operation: string
  resourceId: string
  amount?: number
  idempotencyKey?: string
  at: string
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** Omits undefined and empty parameters. */
export function get<T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> {
  const set = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return send(set.length > 0 ? `${path}?${new URLSearchParams(set)}` : path)
}

export function act<T = Record<string, unknown>>(name: string, args: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return send(`actions/${name}`, { method: 'POST', headers, body: JSON.stringify(args) })
}

async function send<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`api/${path}`, init).catch(() => {
    throw new ApiError(0, 'The sandbox does not respond')
  })
  const body = await response.json().catch(() => undefined)
  if (!response.ok)
    throw new ApiError(response.status, body?.error?.message ?? `The sandbox responded ${response.status}`)
  return body as T
}
