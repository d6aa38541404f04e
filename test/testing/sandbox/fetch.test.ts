import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../../src/testing/index.js'

describe('sandbox.fetch', () => {
  it('accepts a URL or a Request, and an init object', async () => {
    const { apiKey, baseUrl, fetch } = createSandbox()
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

  it('does not perform the operation if the signal is already aborted', async () => {
    const { apiKey, baseUrl, fetch, ledger } = createSandbox()
    const signal = AbortSignal.abort(new Error('gone'))

    const response = fetch(`${baseUrl}/client-session`, { method: 'POST', headers: { 'x-api-key': apiKey }, signal })

    await expect(response).rejects.toThrow('gone')
    expect(ledger).toEqual([])
  })
})
