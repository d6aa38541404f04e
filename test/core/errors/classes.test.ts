import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as main from '../../../src/index.js'
import {
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  PaymentsClient,
  PaymentsError,
} from '../../../src/index.js'
import * as orders from '../../../src/orders/index.js'
import { clientReceiving, failureOf } from '../../support/clients.js'
import { closedPort } from '../../support/scripted-server.js'

const notFound = () => failureOf(clientReceiving('', { status: 404 }).payments.get('pay_1'))

const files = globSync('src/{core,operations,orders,webhooks}/**/*.ts')
const modules = await Promise.all(files.map((file) => import(resolve(file))))
/** Classes with a code of their own, and subclasses of ApiError. Other subclasses are internal. */
const isPublic = (value: object) =>
  Object.getPrototypeOf(value) === PaymentsError || Object.getPrototypeOf(value) === main.ApiError
const classes = modules
  .flatMap((module) => Object.values<{ name: string }>(module))
  .filter((value) => typeof value === 'function' && isPublic(value))

it.each([...new Set(classes.map(({ name }) => name))])('an entry point exports the error class %s', (name) => {
  expect({ ...main, ...orders }).toHaveProperty(name)
})

describe('error classes', () => {
  it.each([
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [403, 'PermissionError'],
    [404, 'NotFoundError'],
    [409, 'ConflictError'],
    [422, 'UnprocessableError'],
    [429, 'RateLimitError'],
    [500, 'ServerError'],
    [599, 'ServerError'],
    [302, 'ApiError'],
    [418, 'ApiError'],
  ])('maps the status %i to the error class %s', async (status, name) => {
    const error = await failureOf(clientReceiving('', { status }).payments.capture('pay_1'))

    expect(error).toMatchObject({
      name,
      code: 'ERR_API',
      httpStatus: status,
      operation: 'payments.capture',
      resourceId: 'pay_1',
    })
    expect(String(error)).toBe(`${name}: ${error.message}`)
  })

  it('includes the host and port of a failed connection, but not the path', async () => {
    const client = new PaymentsClient({
      apiKey: 'key-1',
      baseUrl: `http://127.0.0.1:${await closedPort()}/v1`,
      maxRetries: 0,
    })

    const { message } = await failureOf(client.payments.get('pay_1'))

    expect(message).toMatch(/: the connection to 127\.0\.0\.1:\d+ failed \(ECONNREFUSED\)$/)
  })

  it('makes each error an instance of its own class and of PaymentsError', async () => {
    const error = await notFound()

    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toBeInstanceOf(PaymentsError)
    expect(error).not.toBeInstanceOf(ConfigurationError)
  })

  it('sets no undefined properties on an error', async () => {
    const error = await notFound()

    for (const name of ['idempotencyKey', 'errorId', 'diagnosticsId', 'paymentId', 'retryAfterMs', 'cursor']) {
      expect(error).not.toHaveProperty(name)
    }
  })

  it.each(['', 'two words', 'odd!', ' Odd', 'Odd ', 'x'.repeat(101)])(
    'omits the invalid errorId %j from the error message',
    async (errorId) => {
      const error = await failureOf(clientReceiving({ error: { errorId } }, { status: 400 }).payments.get('pay_1'))

      expect(error.message).toBe('payments.get (GET /payments/:id): the service responded 400')
    },
  )

  it('lets applications create and extend the error classes', () => {
    class CustomError extends PaymentsError {
      readonly code = 'ERR_CUSTOM'
    }
    const call = { operation: 'payments.get', method: 'GET', path: '/payments/:id', attempts: [] }
    const error = new ConnectionError({ ...call, outcome: 'unknown', retry: 'no' }, 'ECONNRESET')

    expect(error.message).toBe('payments.get (GET /payments/:id): the connection failed (ECONNRESET)')
    expect(error).not.toHaveProperty('cause')
    expect(new CustomError('invalid').name).toBe('PaymentsError')
  })
})
