import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, ConfigurationError, type Hooks, RequestValidationError } from '../../src/index.js'
import { aClient, aNewKey, failureOf, sent } from '../support/clients.js'
import { authorizedPayment, authorizedPaymentV21 } from '../support/responses/payments.js'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a client with the option `apiKey`', () => {
  it('calls an async apiKey function once per attempt', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const keys = ['key-1', 'key-2'].values()
    const { client, requests } = aClient([new Response('', { status: 503 }), authorizedPayment], {
      apiKey: async () => keys.next().value as string,
      maxRetries: 1,
    })

    await client.payments.get('pay_1')

    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-2'])
  })

  it('does not retry a call whose apiKey function rejects', async () => {
    const apiKey = vi.fn(() => Promise.reject(new Error('no key')))
    const { client } = aClient([], { apiKey, maxRetries: 1 })

    await failureOf(client.payments.get('pay_1'))

    expect(apiKey).toHaveBeenCalledTimes(1)
  })
})

describe('a client with a function as an option', () => {
  const throws = () => {
    throw new Error('a-secret')
  }
  const rejects = () => Promise.reject(new Error('a-secret'))
  const returnsNoString = () => undefined as never
  const noKey = 'The idempotency function threw an error or rejected'
  const key = 'The key that the apiKey function returned'

  it.each<[string, ClientOptions, message: string]>([
    ['the apiKey function rejects', { apiKey: rejects }, 'The apiKey function threw an error or rejected'],
    ['the apiKey function returns undefined', { apiKey: returnsNoString }, `${key} must be a string`],
    ['the key has a line break', { apiKey: () => 'a-secret\n' }, `${key} contains a space, a line break`],
    ['the idempotency function throws', { idempotency: throws }, noKey],
  ])('rejects the call before sending if %s', async (_, options, message) => {
    const { client, requests } = aClient([authorizedPayment], { ...options, maxRetries: 1 })

    const error = await failureOf(client.payments.capture('pay_1'))

    const facts = { outcome: 'not_sent', retry: 'no', operation: 'payments.capture', attempts: [] }
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject(facts)
    expect(error.message).toContain(`payments.capture (POST /payments/:id/capture): ${message}`)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('a-secret')
    expect(requests).toEqual([])
  })
})

describe('a client with the option `idempotency`', () => {
  const body = { paymentMethodToken: 'tok_1', orderId: 'order-17' }

  it.each<[string, ClientOptions['idempotency']]>([
    ["the value is 'off'", 'off'],
    ['the idempotency function returns undefined', () => undefined],
  ])('sends no idempotency key if %s', async (_, idempotency) => {
    const { client, requests } = aClient([authorizedPayment], { idempotency })

    const { response } = await client.payments.create(body).withResponse()

    expect(requests).toEqual([sent('POST /payments', { body })])
    expect(response.idempotencyKey).toBeUndefined()
  })

  it("sends a key that the caller passes, even with the value 'off'", async () => {
    const { client, requests } = aClient([authorizedPayment], { idempotency: 'off' })

    await client.payments.create(body, { idempotencyKey: 'key-1' })

    expect(requests).toEqual([sent('POST /payments', { body, idempotencyKey: 'key-1' })])
  })

  it('calls the idempotency function with the operation, its parameters and its body', async () => {
    const idempotency = vi.fn(async (operation: string) => `${operation}:17`)
    const { client, requests } = aClient([authorizedPayment], { idempotency })

    await client.payments.capture('pay_1', { amount: 5 })

    expect(idempotency.mock.calls).toEqual([['payments.capture', { id: 'pay_1' }, { amount: 5 }]])
    expect(requests[0]?.headers['x-idempotency-key']).toBe('payments.capture:17')
  })

  it('skips the idempotency function if the call takes no key or already has one', async () => {
    const idempotency = vi.fn(() => 'key-1')
    const { client } = aClient([authorizedPayment, authorizedPayment], { idempotency })

    await client.payments.resume('pay_1', { resumeToken: 'resume_1' })
    await client.payments.cancel('pay_1', {}, { idempotencyKey: 'key-2' })

    expect(idempotency).not.toHaveBeenCalled()
  })

  it('skips the idempotency function if the call is already aborted', async () => {
    const idempotency = vi.fn(() => 'key-1')
    const { client } = aClient([], { idempotency })

    await expect(client.payments.capture('pay_1', {}, { signal: AbortSignal.abort() })).rejects.toThrow()

    expect(idempotency).not.toHaveBeenCalled()
  })

  it('rejects an invalid key from the idempotency function, without printing it', async () => {
    const { client, requests } = aClient([authorizedPayment], { idempotency: () => 'order 17' })

    const result = client.payments.create(body)

    await expect(result).rejects.toThrow(RequestValidationError)
    await expect(result).rejects.toThrow('idempotencyKey must be 1 to 255 visible ASCII characters')
    expect(requests).toEqual([])
  })
})

describe('a client with the option `apiVersion`', () => {
  it('sends an unknown API version unchanged, and uses the fields of version 2.1', async () => {
    const { client, requests } = aClient([authorizedPaymentV21], { apiVersion: '2099-01-01' })
    const body = { paymentMethodToken: 'tok_1', orderId: 'order-17', currencyCode: 'EUR', amount: 5, lineItems: [] }

    const payment = await client.payments.create(body)

    expect(payment.orderDetails).toEqual(authorizedPaymentV21.orderDetails)
    expect(requests).toEqual([sent('POST /payments', { body, idempotencyKey: aNewKey, version: '2099-01-01' })])
  })
})

describe('a client with the option `hooks`', () => {
  it('calls onRequest and onResponse for every attempt', async () => {
    const onRequest = vi.fn()
    const onResponse = vi.fn()
    const { client } = aClient([authorizedPayment], { hooks: { onRequest, onResponse } })

    await client.payments.capture('pay_1', { amount: 5 }, { idempotencyKey: 'key-1' })

    const event = {
      operation: 'payments.capture',
      method: 'POST',
      path: '/payments/:id/capture',
      attempt: 1,
      idempotencyKey: 'key-1',
      callId: expect.any(String),
    }
    expect(onRequest.mock.calls).toEqual([[{ ...event, headers: expect.any(Headers) }]])
    expect(onResponse.mock.calls).toEqual([[{ ...event, status: 200, durationMs: expect.any(Number) }]])
  })

  it('calls onRetry with the delay and reason of each retry', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const onRetry = vi.fn()
    const { client } = aClient([new Response('', { status: 503 }), authorizedPayment], {
      maxRetries: 1,
      hooks: { onRetry },
    })

    await client.payments.get('pay_1')

    const event = { operation: 'payments.get', method: 'GET', path: '/payments/:id', attempt: 1 }
    expect(onRetry.mock.calls).toEqual([[{ ...event, callId: expect.any(String), delayMs: 0, reason: '503' }]])
  })

  const throws = () => {
    throw new Error('a-secret')
  }

  it.each<[string, Hooks['onRequest']]>([
    ['throws', throws],
    ['rejects', () => Promise.reject(new Error('a-secret'))],
  ])('logs an error but does not affect the call if a hook %s', async (_, onRequest) => {
    const error = vi.fn()
    const logger = { debug() {}, info() {}, warn() {}, error }
    const { client } = aClient([authorizedPayment], { hooks: { onRequest }, logger })

    expect(await client.payments.get('pay_1')).toEqual(authorizedPayment)
    expect(error.mock.calls.map(([message]) => message)).toEqual(['The hook onRequest failed'])
  })
})

describe('a client with the option `logger`', () => {
  it('logs every request, response and retry', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const lines: string[] = []
    const note = (level: string) => (line: string) => lines.push(`${level} ${line}`)
    const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
    const { client } = aClient([new Response('', { status: 503 }), authorizedPayment], {
      maxRetries: 1,
      logger,
      logLevel: 'debug',
    })

    await client.payments.get('pay_1')

    expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms').replace(/ \[[\w-]{36}\]$/, ' [id]'))).toEqual([
      'debug payments.get (GET /payments/:id), attempt 1: sending [id]',
      'debug payments.get (GET /payments/:id), attempt 1: 503 after N ms [id]',
      'warn payments.get (GET /payments/:id), attempt 1: 503, retrying in N ms [id]',
      'debug payments.get (GET /payments/:id), attempt 2: sending [id]',
      'debug payments.get (GET /payments/:id), attempt 2: 200 after N ms [id]',
    ])
  })
})
