import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'

/** A sandbox whose fetch stands where the runtime's own would. */
function startSandbox() {
  const sandbox = createSandbox()
  return { ...sandbox, fetch: sandbox.fetch as typeof globalThis.fetch }
}

describe('sandbox.fetch', () => {
  it('takes what fetch takes: an address, or a request, and what is different about it', async () => {
    const { apiKey, baseUrl, fetch } = startSandbox()
    const headers = { 'x-api-key': apiKey }
    const url = `${baseUrl}/client-session`

    const responses = [
      await fetch(url),
      await fetch(url, { method: 'POST', headers, body: '{"orderId":"order-17"}' }),
      await fetch(new URL(url), { method: 'POST', headers }),
      await fetch(new Request(url, { method: 'POST' }), { headers }),
      await fetch(new Request(url, { method: 'POST', headers }), {}),
    ]

    expect(responses.map(({ status }) => status)).toEqual([401, 200, 200, 200, 200])
    expect(await responses[1]!.json()).toMatchObject({ orderId: 'order-17' })
  })

  it.each([
    ['an answer', '/payments', 200],
    ['a refusal', '/payments/pay_unknown', 404],
  ])('says that %s is JSON', async (_, path, status) => {
    const { apiKey, baseUrl, fetch } = startSandbox()

    const response = await fetch(baseUrl + path, { headers: { 'x-api-key': apiKey } })

    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it('does nothing for somebody who had gone away before', async () => {
    const { apiKey, baseUrl, fetch, ledger } = startSandbox()
    const signal = AbortSignal.abort(new Error('gone'))

    const response = fetch(`${baseUrl}/client-session`, { method: 'POST', headers: { 'x-api-key': apiKey }, signal })

    await expect(response).rejects.toThrow('gone')
    expect(ledger).toEqual([])
  })
})
