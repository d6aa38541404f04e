import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox } from '../../src/testing/index.js'
import { handlers } from '../../src/testing/msw.js'

const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

const servers: ReturnType<typeof setupServer>[] = []

afterEach(() => {
  vi.restoreAllMocks()
  for (const server of servers.splice(0)) server.close()
})

/** Starts an msw server that rejects unhandled requests, as in merchants' tests. */
function intercept(...requestHandlers: Parameters<typeof setupServer>) {
  const server = setupServer(...requestHandlers)
  server.listen({ onUnhandledFrame: 'error' })
  servers.push(server)
}

describe('the msw handlers', () => {
  it.each([
    'https://api.payments.test',
    'https://api.payments.test/',
    'https://api.payments.test/v1/payments-service/',
    'https://api.payments.test/v1//',
    new URL('http://127.0.0.1:4010'),
  ])('handles requests to the service if the base URL is %s', async (baseUrl) => {
    const sandbox = createSandbox()
    intercept(...handlers(sandbox, { baseUrl }))
    const client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl })

    await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.card })
    const payments = await client.payments.list({ orderId: 'order-1' }).toArray({ limit: 10 })

    expect(payments).toMatchObject([{ orderId: 'order-1' }])
  })

  it('rejects unknown options', () => {
    const options = { baseURL: 'https://api.payments.test' } as object

    expect(() => handlers(createSandbox(), options)).toThrow(
      'Invalid options for handlers: baseURL is not an option: did you mean "baseUrl"?',
    )
  })

  it('does not handle requests to other hosts', async () => {
    const sandbox = createSandbox()
    intercept(
      ...handlers(sandbox),
      http.get('https://shop.test/payments', () => HttpResponse.text('the shop')),
    )

    const response = await fetch('https://shop.test/payments')

    expect(await response.text()).toBe('the shop')
  })

  it('logs nothing if the client aborts a request', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    const sandbox = createSandbox()
    const { baseUrl } = sandbox
    const requested = new Promise<void>((resolve) => {
      intercept(
        ...handlers({
          baseUrl,
          fetch(input, init) {
            resolve()
            return sandbox.fetch(input, init)
          },
        }),
      )
    })
    sandbox.faults.add({ hang: true })
    const abort = new AbortController()

    const response = fetch(`${baseUrl}/payments`, { signal: abort.signal })
    const rejection = expect(response).rejects.toThrow('enough')
    await requested
    abort.abort(new Error('enough'))

    await rejection
    await new Promise((resolve) => setImmediate(resolve))
    expect(report).not.toHaveBeenCalled()
  })

  it('responds 500 and reports the error if the sandbox throws', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => {})
    const baseUrl = 'https://sandbox.test'
    intercept(...handlers({ baseUrl, fetch: () => Promise.reject(new TypeError('a bug')) }))

    const response = await fetch(`${baseUrl}/payments`)

    expect(response.status).toBe(500)
    expect(report).toHaveBeenCalled()
  })
})
