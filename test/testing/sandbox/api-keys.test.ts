import { describe, expect, it } from 'vitest'
import type { Scope } from '../../../src/core/contract/operation.js'
import { send, startSandbox } from '../../support/start-sandbox.js'

describe('the sandbox’s API keys', () => {
  it('checks the API key before it validates the request', async () => {
    const { sandbox } = startSandbox()
    const apiKey = sandbox.createApiKey({ scopes: [] })

    const response = await send(sandbox, 'POST', '/payments/unknown/capture', {
      body: '{',
      headers: { 'x-api-key': apiKey },
    })

    expect(response.status).toBe(403)
  })

  it('rejects a second revocation of the same API key', () => {
    const { sandbox } = startSandbox()
    const apiKey = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })

    sandbox.revokeApiKey(apiKey)

    expect(apiKey).toMatch(/^key_/)
    expect(() => sandbox.revokeApiKey(apiKey)).toThrow('There is no API key with this value, or it was revoked before')
  })

  it('revokes the default API key, which a reset makes valid again', async () => {
    const { client, sandbox } = startSandbox()

    sandbox.revokeApiKey(sandbox.apiKey)
    const { status } = await send(sandbox, 'GET', '/payments')
    sandbox.reset()

    expect(status).toBe(401)
    expect((await client.payments.list()).data).toEqual([])
  })

  it.each([
    [
      { scopes: ['transactions:capure'] },
      'scopes[0] must be the name of a scope: did you mean "transactions:capture"?',
    ],
    [undefined, 'must be an object of options'],
    [{}, 'scopes must be an array of scopes'],
    [{ scopes: 'transactions:capture' }, 'scopes must be an array of scopes'],
    [{ scopes: ['constructor'] }, 'scopes[0] must be the name of a scope'],
    [{ scopes: [], scope: 'transactions:capture' }, 'scope is not an option: did you mean "scopes"?'],
  ])('rejects the invalid options %j for a new API key', (options, message) => {
    const { sandbox } = startSandbox()

    expect(() => sandbox.createApiKey(options as { scopes: Scope[] })).toThrow(message)
  })
})
