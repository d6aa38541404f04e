import * as z from 'zod'
import { allOperations } from '../../../core/contract/operations.js'
import { boolean, custom, integer, maxTimerMs, optionsOf, type Shape } from '../../../core/internal/validation.js'
import { type Duration, milliseconds, pause, type VirtualClock } from '../internal/clock.js'
import { causeMessageOf, type ResponseEnding, ServiceError, type ServiceResponse } from '../internal/exchange.js'
import type { Notify } from '../internal/feed.js'
import { duration, knownName, requireOptions } from '../internal/options.js'

/** The name of an operation, for example `payments.capture`. */
export type OperationName =
  | 'payments.create'
  | 'payments.get'
  | 'payments.list'
  | 'payments.authorize'
  | 'payments.capture'
  | 'payments.cancel'
  | 'payments.refund'
  | 'payments.adjustAuthorization'
  | 'payments.resume'
  | 'clientSessions.create'
  | 'clientSessions.get'
  | 'clientSessions.update'
  | 'paymentInstruments.vault'
  | 'paymentInstruments.setDefault'
  | 'paymentInstruments.list'
  | 'paymentInstruments.delete'
  | 'observability.payments.create'
  | 'observability.payments.update'
  | 'loyalty.transactions.create'
  | 'loyalty.transactions.list'
  | 'loyalty.customers.get'

/**
 * A fault to inject. By default, the next request gets a 500 response.
 *
 * @example A capture takes effect, but its response is lost.
 * faults.add({ operation: 'payments.capture', at: 'after', reset: true })
 * @example The service is overloaded twice, then recovers.
 * faults.add({ status: 503, headers: { 'retry-after': '1' }, times: 2 })
 * @example A new status that the client does not support yet.
 * faults.add({ operation: 'payments.get', at: 'after', body: (payment) => ({ ...payment, status: 'PARTIALLY_SETTLED' }) })
 * @example An empty page that is not the last one.
 * faults.add({ operation: 'payments.list', at: 'after', body: (page) => ({ ...page, data: [] }) })
 */
export interface Fault {
  /** The affected operation, for example `payments.capture`. @default every operation */
  operation?: OperationName
  /** The number of affected requests. `Infinity` means all requests until `clear()`. @default 1 */
  times?: number
  /**
   * The fault occurs `'before'` or `'after'` the operation takes effect.
   *
   * With a number, the connection breaks after this many bytes of the response body, or stalls if `hang` is set. A
   * number greater than the body's length has no effect.
   * @default 'before'
   */
  at?: 'before' | 'after' | number
  /** Status of the response, 200 to 599. @default 500 with `at: 'before'`, else the status of the service's response */
  status?: number
  /** Headers of the response, which override the headers of the service. */
  headers?: Record<string, string>
  /**
   * Body of the response: a string, an object that is sent as JSON, or a function that changes the service's response.
   * @default an error in the service's format if `status` is an error, else the service's response
   */
  body?: string | object | BodyMaker
  /** Milliseconds of real time to wait, before the operation (with `at: 'before'`) or before the response. */
  delay?: number
  /**
   * The operation takes effect only after this time of the sandbox's clock, even if the client closes the connection:
   * milliseconds, or a string such as `'60s'`. A response that the fault replaces with `at: 'before'` does not wait.
   */
  effectDelay?: Duration
  /** Sends no response, or if `at` is a number, only the response up to this byte. The connection stays open. */
  hang?: boolean
  /** Resets the connection instead of sending a complete response. */
  reset?: boolean
}

/** A function that returns the new response body. The sandbox sends this body as JSON. */
export type BodyMaker = (response: Record<string, unknown>) => unknown

/** Injects faults into the responses of the sandbox. */
export interface Faults {
  /**
   * Adds a fault. If several faults match a request, only the oldest one affects it.
   *
   * @throws {TypeError} The operation or an option is unknown, or a value is invalid.
   */
  add(fault: Fault): void
  /** Removes every fault. */
  clear(): void
}

export const operationNames = allOperations().map(({ name }) => name) as OperationName[]

/** A number of requests, or a value that means every request. */
export function timesOr<const Every extends number | string>(every: Every) {
  const message = 'must be an integer of at least 1, or Infinity'
  return z.union([z.int(message).min(1, message), z.literal(every)], message)
}

const at = "must be 'before', 'after' or a number of bytes"

export const faultShape = {
  operation: knownName('an operation', operationNames),
  times: timesOr(Infinity),
  at: z.union([z.enum(['before', 'after']), z.int(at).min(0, at)], at),
  status: integer(200, 599),
  headers: custom<Record<string, string>>(
    isHeaders,
    'must be an object of header names and values, without control characters and `trailer`',
  ).meta({ type: 'object', additionalProperties: { type: 'string' } }),
  body: custom<NonNullable<Fault['body']>>(
    (value) => ['string', 'function'].includes(typeof value) || (typeof value === 'object' && value !== null),
    'must be a string, an object or a function',
  ),
  delay: integer(0, maxTimerMs),
  effectDelay: duration('60s'),
  hang: boolean,
  reset: boolean,
} satisfies Shape<Fault>

const faultFields = optionsOf<Fault>(faultShape)

/** Returns whether a value contains only headers that `node:http` can send. `Headers` accepts more values. */
function isHeaders(value: unknown): boolean {
  if (Array.isArray(value)) return false
  try {
    const names = [...new Headers(value as Record<string, string>).keys()]
    // Checks the original values, because `Headers` removes line breaks around a value.
    const isSendable = (text: unknown) => /^[\t\x20-\x7e\x80-\xff]*$/.test(String(text))
    return !names.includes('trailer') && Object.values(value as object).every(isSendable)
  } catch {
    return false
  }
}

/** The fault fields that do not change the response. */
const conditions = ['operation', 'times', 'at', 'delay', 'effectDelay']

function isReplacing(fault: Fault): boolean {
  const given = Object.entries(fault).filter(([, value]) => value !== undefined && value !== false)
  return given.some(([name]) => !conditions.includes(name))
}

interface QueuedFault {
  readonly id: string
  readonly fault: Fault
  left: number
}

export class FaultQueue implements Faults {
  #queue: QueuedFault[] = []
  #added = 0

  constructor(private readonly notify: Notify) {}

  get queue(): readonly Readonly<QueuedFault>[] {
    return this.#queue
  }

  add(fault: Fault): void {
    const values = requireOptions('faults.add', fault ?? null, faultFields)
    const { times = 1, at = 'before', body, delay } = values
    if (values.hang && values.reset)
      throw new TypeError('A fault can either hang or reset the connection: set only one of these fields')
    if (typeof body === 'function' && at === 'before') {
      throw new TypeError("A body function needs the service's response: set \"at\" to 'after' or to a number of bytes")
    }
    const isEmpty = typeof at !== 'number' && (delay ?? values.effectDelay) === undefined && !isReplacing(values)
    this.#added += 1
    const id = `fault_${this.#added}`
    this.#queue.push({ id, fault: { ...values, at, ...(isEmpty && { status: 500 }) }, left: times })
    this.notify('fault', { faultId: id })
  }

  clear(): void {
    this.#queue = []
    this.notify('fault')
  }

  /** Returns the fault for a request and counts the request as affected. */
  take(operation: string | undefined): Fault | undefined {
    const first = this.#queue.find(({ fault }) => fault.operation === undefined || fault.operation === operation)
    if (first === undefined) return undefined
    first.left -= 1
    if (first.left === 0) this.#queue = this.#queue.filter((other) => other !== first)
    this.notify('fault', { faultId: first.id })
    return first.fault
  }
}

/**
 * Responds to a request that a fault affects.
 *
 * @param respond Performs the request. Not called if the fault prevents the operation.
 * @param clock The clock of `effectDelay`.
 * @param signal Aborts when the client disconnects, which cancels a request that is still delayed.
 */
export async function applyFault(
  fault: Fault,
  respond: () => ServiceResponse | Promise<ServiceResponse>,
  clock: Pick<VirtualClock, 'schedule'>,
  signal?: AbortSignal,
): Promise<ServiceResponse> {
  const { effectDelay, ...immediate } = fault
  if (effectDelay !== undefined) {
    const effect = new Promise<ServiceResponse>((resolve) => {
      clock.schedule(milliseconds(effectDelay), () => resolve(respond()))
    })
    return applyFault(immediate, () => effect, clock, signal)
  }
  const { at = 'before', delay, status = 500 } = fault
  if (at !== 'before') {
    const response = modified(await respond(), fault)
    return delay ? { ...response, delayMs: delay } : response
  }
  if (delay) await pause(delay, signal)
  if (signal?.aborted) return { ...noResponse, ending: { kind: 'none', then: 'hang' } }
  return isReplacing(fault) ? modified(noResponse, { ...fault, status }) : respond()
}

const noResponse: ServiceResponse = { status: 200, headers: {}, body: '', ending: { kind: 'complete' } }

function modified(response: ServiceResponse, fault: Fault): ServiceResponse {
  const { status = response.status } = fault
  const body = modifiedBody(response, status, fault.body)
  const lowerCased = Object.entries(fault.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const headers = { 'content-type': 'application/json', ...response.headers, ...Object.fromEntries(lowerCased) }
  return { status, headers, body, ending: endingOf(fault, body) }
}

function endingOf({ at, hang, reset }: Fault, body: string): ResponseEnding {
  const then = hang ? 'hang' : reset ? 'reset' : 'close'
  if (typeof at !== 'number') return then === 'close' ? { kind: 'complete' } : { kind: 'none', then }
  const bytes = new TextEncoder().encode(body)
  if (at >= bytes.length) return { kind: 'complete' }
  return { kind: 'cut', part: bytes.subarray(0, at), length: bytes.length, then }
}

function modifiedBody(response: ServiceResponse, status: number, body: Fault['body']): string {
  if (typeof body === 'string') return body
  if (typeof body === 'function') {
    try {
      return JSON.stringify(body(JSON.parse(response.body))) ?? ''
    } catch (error) {
      throw new ServiceError(500, 'SimulatedFault', `The body function of a fault failed: ${causeMessageOf(error)}`)
    }
  }
  if (body !== undefined) return JSON.stringify(body)
  if (status === response.status || status < 300) return response.body
  if (status < 400) return ''
  const error = new ServiceError(status, 'SimulatedFault', 'This response was requested with faults.add()')
  return error.toResponse('simulated-fault').body
}
