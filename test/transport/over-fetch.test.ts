import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { authorizedPayment } from '../support/responses/payments.js'

const fetch = vi.fn(async (_request: Request, _init?: RequestInit) => Response.json(authorizedPayment))
let client: PaymentsClient

/** A process that has called nothing yet: what carries requests over a fetch is loaded by the first call. */
beforeEach(async () => {
  vi.resetModules()
  const fresh = await import('../../src/index.js')
  fetch.mockClear()
  client = new fresh.PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.example.com', fetch })
})

/** Capture a payment while every object inherits a property. */
async function captureInheriting(name: string, value: unknown) {
  Object.defineProperty(Object.prototype, name, { value, configurable: true, enumerable: true, writable: true })
  return client.payments.capture('pay_1').finally(() => Reflect.deleteProperty(Object.prototype, name))
}

describe('a fetch of the caller', () => {
  it('is handed the request, and nothing else', async () => {
    await client.payments.get('pay_1')

    expect(fetch.mock.calls).toEqual([[expect.any(Request)]])
  })

  it.each<[keyof Request & keyof RequestInit, unknown]>([
    ['cache', 'no-store'],
    ['credentials', 'omit'],
    ['integrity', 'sha256-evil'],
    ['keepalive', true],
    ['mode', 'no-cors'],
    ['referrer', 'https://elsewhere.test/'],
    ['referrerPolicy', 'unsafe-url'],
  ])('is handed the usual %s, whatever every object inherits', async (name, evil) => {
    await client.payments.capture('pay_1')
    await captureInheriting(name, evil)

    const [[usual], [request, init]] = fetch.mock.calls as [[Request], [Request, RequestInit]]
    expect([request[name], init[name]]).toEqual([usual[name], usual[name]])
  })

  it('is called, even if every object inherits a duplex that there is not', async () => {
    await client.payments.capture('pay_1')

    const captured = await captureInheriting('duplex', 'full')

    expect(captured).toEqual(authorizedPayment)
  })
})
