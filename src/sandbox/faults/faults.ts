import { pause } from '../pause.js'
import { reasonOf } from '../reason.js'
import { Refusal } from '../refusal.js'
import { envelope } from '../service/envelope.js'
import type { Reply } from '../service/exchange.js'
import type { BodyMaker, Fault } from './fault.js'
import { refuseNonsense } from './fault-rules.js'

/** Bad days on request. */
export interface Faults {
  /**
   * Order a fault. Several stand in line: a request meets the first that fits it, and only that one.
   *
   * @throws {TypeError} An unknown operation or option, or a value that makes no sense.
   */
  add(fault: Fault): void
  /** From here on all goes well again. */
  clear(): void
}

/** The faults in line. */
export class FaultScript implements Faults {
  #waiting: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    refuseNonsense(fault)
    const ordered = saysWhat(fault) ? fault : { ...fault, status: 500 }
    this.#waiting.push({ fault: { ...ordered }, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#waiting = []
  }

  /** The fault that strikes this request; one of its strikes is then used up. */
  take(operation: string | undefined): Fault | undefined {
    const first = this.#waiting.find(({ fault }) => fault.operation === undefined || fault.operation === operation)
    if (first === undefined) return undefined
    first.left -= 1
    if (first.left === 0) this.#waiting = this.#waiting.filter((waiting) => waiting !== first)
    return first.fault
  }
}

function saysWhat({ operation: _operation, times: _times, at, ...trouble }: Fault): boolean {
  return typeof at === 'number' || Object.values(trouble).some((value) => value !== undefined && value !== false)
}

/**
 * What comes of a request that a fault strikes.
 *
 * @param act The service doing its work. Not called where the fault comes in its place.
 * @param signal Whoever goes away while a fault lets them wait is not served.
 */
export async function strike(fault: Fault, act: () => Reply | Promise<Reply>, signal?: AbortSignal): Promise<Reply> {
  if (fault.at !== undefined && fault.at !== 'before') return late(spoil(await act(), fault), fault)
  if (fault.delay) await pause(fault.delay, signal)
  if (signal?.aborted) return { ...nothing, hang: true }
  return isOnlyLate(fault) ? act() : spoil(nothing, { ...fault, status: fault.status ?? 500 })
}

const nothing: Reply = { status: 200, headers: {}, body: '' }

function late(reply: Reply, { delay }: Fault): Reply {
  return delay ? { ...reply, delayMs: delay } : reply
}

function isOnlyLate({ status, headers, body, hang, reset }: Fault): boolean {
  return status === undefined && headers === undefined && body === undefined && !hang && !reset
}

/** An answer as the fault leaves it. */
function spoil(reply: Reply, fault: Fault): Reply {
  const status = fault.status ?? reply.status
  const body = spoiledBody(reply, status, fault.body)
  const spoiled = {
    status,
    headers: { 'content-type': 'application/json', ...reply.headers, ...lowerCased(fault.headers) },
    body,
  }
  if (typeof fault.at === 'number' && fault.at >= new TextEncoder().encode(body).length) return spoiled
  return {
    ...spoiled,
    ...(typeof fault.at === 'number' && { cutAt: fault.at }),
    ...(fault.hang && { hang: true }),
    ...(fault.reset && { reset: true }),
  }
}

function spoiledBody(reply: Reply, status: number, body: Fault['body']): string {
  if (typeof body === 'string') return body
  if (typeof body === 'function') return JSON.stringify(made(body as BodyMaker, reply)) ?? ''
  if (body !== undefined) return JSON.stringify(body)
  if (status === reply.status || status < 300) return reply.body
  return status < 400 ? '' : envelope(new Refusal(status, 'SimulatedFault', ordered), 'simulated-fault').body
}

function made(body: BodyMaker, reply: Reply): unknown {
  try {
    return body(JSON.parse(reply.body))
  } catch (error) {
    throw new Refusal(500, 'SimulatedFault', `The function that makes the body of a fault failed: ${reasonOf(error)}`)
  }
}

const ordered = 'This answer was ordered with faults.add()'

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
