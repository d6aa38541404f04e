import { deserialize, serialize } from 'node:v8'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import {
  httpStatusOf,
  isPaymentsError,
  PaymentsError,
  type PaymentsErrorFields,
  retryAfterOf,
  WaitError,
  webhooks,
} from '../../../src/index.js'
import { aClient, errorResponse, failureOf } from '../../support/clients.js'

const parsed = (error: PaymentsError): unknown => JSON.parse(JSON.stringify(error))

function received(message: unknown): unknown {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(message)
  const { message: copy } = receiveMessageOnPort(port2) as { message: unknown }
  port1.close()
  return copy
}

const wires: [name: string, send: (error: PaymentsError) => unknown][] = [
  ['JSON', parsed],
  ['structuredClone', (error) => structuredClone(error.toJSON())],
  ['v8.serialize', (error) => deserialize(serialize(error.toJSON()))],
  ['a message to a worker', (error) => received(error.toJSON())],
  ['the failed job of a queue', (error) => JSON.parse(JSON.stringify({ job: 1, output: error })).output],
  // DBOS stores the fields as JSON, and assigns them to a new Error.
  ['the replay of a durable-execution engine', (error) => Object.assign(new Error(error.message), parsed(error))],
]

const fail = (response: Response | (() => Response | Promise<Response>)) =>
  failureOf(aClient([response]).client.payments.capture('pay_1', { amount: 5 }))

const errors: [name: string, create: () => PaymentsError | Promise<PaymentsError>, status: number][] = [
  ['a rejection', () => fail(errorResponse(422, { errorId: 'CaptureExceedsAuthorizedAmount' })), 400],
  ['a used key', () => fail(errorResponse(409, { errorId: 'IdempotencyKeyAlreadyExists' })), 409],
  ['a delay', () => fail(new Response('', { status: 503, headers: { 'retry-after': '7' } })), 503],
  ['a lost connection', () => fail(() => Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' }))), 502],
  ['an unreadable response', () => fail(new Response('{')), 502],
  ['invalid arguments', () => failureOf(aClient([]).client.payments.get('')), 500],
  ['a WaitError', () => new WaitError('timeout', 'timed out', undefined, []), 500],
  ['a webhook error', () => new webhooks.WebhookVerificationError('no-match', 'no match'), 500],
]

describe.each(wires)('an error that was sent as %s', (_, send) => {
  it.each(errors)('keeps an error recognizable, with the same fields and status: %s', async (_, create, status) => {
    const error = await create()

    const copy = send(error)

    expect(isPaymentsError(copy)).toBe(true)
    expect({ ...(copy as PaymentsErrorFields), message: (copy as Error).message }).toEqual(error.toJSON())
    expect([httpStatusOf(copy), retryAfterOf(copy)]).toEqual([status, retryAfterOf(error)])
  })
})

describe('error.toJSON', () => {
  it('returns only the error’s own safe fields, and no secrets', async () => {
    const error = await fail(errorResponse(422, { errorId: 'Invalid', description: 'secret', diagnosticsId: 'd-1' }))
    Object.assign(error, { statusCode: 500, config: 'secret' })

    expect(error.toJSON()).toEqual({
      name: 'UnprocessableError',
      message: error.message,
      code: 'ERR_API',
      outcome: 'rejected',
      retry: 'new-key',
      operation: 'payments.capture',
      callId: expect.any(String),
      durationMs: expect.any(Number),
      attempts: [{ number: 1, waitedMs: 0, durationMs: expect.any(Number), status: 422, code: 'Invalid' }],
      idempotencyKey: expect.any(String),
      resourceId: 'pay_1',
      httpStatus: 422,
      errorId: 'Invalid',
      diagnosticsId: 'd-1',
    } satisfies PaymentsErrorFields)
  })

  it('omits the abort reason of an aborted call', async () => {
    const signal = AbortSignal.abort('secret')
    const error = await failureOf(aClient([]).client.payments.get('pay_1', { signal }))

    expect(error.toJSON()).not.toHaveProperty('reason')
  })
})

describe('isPaymentsError', () => {
  it('recognizes an error from another copy of the package', async () => {
    vi.resetModules()
    const copy: typeof import('../../../src/index.js') = await import('../../../src/index.js')
    const error = new copy.ConfigurationError('invalid')

    expect(error).not.toBeInstanceOf(PaymentsError)
    expect(isPaymentsError(error)).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'ERR_API'],
    ['an error of another package', new Error('no')],
    ['an error of Node', Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['a system error with an outcome', { code: 'ECONNRESET', outcome: 'unknown' }],
    ['an unknown outcome', { code: 'ERR_API', outcome: 'maybe' }],
  ])('returns false for a value that is not an error of the client: %s', (_, value) => {
    expect(isPaymentsError(value)).toBe(false)
  })
})
