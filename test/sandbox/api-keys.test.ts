import { describe, expect, it } from 'vitest'
import * as operations from '../../src/contract/index.js'
import type { AnyOperation, Scope } from '../../src/contract/operation.js'
import { refusal, send, startSandbox } from '../support/start-sandbox.js'

const everyScope: Scope[] = [
  'client_tokens:write',
  'third_party:webhook_trigger',
  'transactions:authorize',
  'transactions:cancel',
  'transactions:capture',
  'transactions:retrieve',
  'transactions:refund',
  'payment_instrument:read',
  'payment_instrument:write',
  'observability-payments:write',
  'loyalty-transactions:write',
  'loyalty-transactions:read',
]

const every = operationsIn(operations)

function operationsIn(part: object): AnyOperation[] {
  return Object.values(part).flatMap((entry) => ('method' in entry ? [entry as AnyOperation] : operationsIn(entry)))
}

/** Asks without a body or query: what gets past the key is refused for another reason. */
function ask({ sandbox }: ReturnType<typeof startSandbox>, { method, path }: AnyOperation, key: string) {
  return send(sandbox, method, path.replace(/:\w+/g, 'unknown'), { headers: { 'x-api-key': key } })
}

describe('API keys', () => {
  it('are required by every operation', async () => {
    const started = startSandbox()

    const answers = await Promise.all(every.map((operation) => ask(started, operation, 'key_of_nobody')))

    expect(answers).toHaveLength(21)
    expect(answers).toMatchObject(
      Array(21).fill({ status: 401, json: { error: { errorId: 'Unauthorized', diagnosticsId: expect.any(String) } } }),
    )
  })

  it('are refused when missing', async () => {
    const { sandbox } = startSandbox()

    const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`))

    expect(response.status).toBe(401)
  })

  it.each(every.filter(({ scope }) => scope))('need the scope $scope for $name', async (operation) => {
    const started = startSandbox()
    const others = started.sandbox.createApiKey({ scopes: everyScope.filter((scope) => scope !== operation.scope) })
    const fitting = started.sandbox.createApiKey({ scopes: [operation.scope as Scope] })

    const without = await ask(started, operation, others)
    const within = await ask(started, operation, fitting)

    expect(without).toMatchObject({ status: 403, json: { error: { errorId: 'Forbidden' } } })
    expect(without.json.error.description).toContain(operation.scope)
    expect(within.status).not.toBe(403)
  })

  it.each(every.filter(({ scope }) => !scope))('need no scope for $name', async (operation) => {
    const started = startSandbox()

    const { status } = await ask(started, operation, started.sandbox.createApiKey({ scopes: [] }))

    expect([401, 403]).not.toContain(status)
  })

  it('stop working as soon as they are revoked', async () => {
    const { client, sandbox } = startSandbox()
    const apiKey = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const limited = client.withOptions({ apiKey })
    const before = await limited.payments.list()

    sandbox.revokeApiKey(apiKey)

    expect(before.data).toEqual([])
    expect(await refusal(limited.payments.list())).toMatchObject({ status: 401, outcome: 'rejected' })
    expect(() => sandbox.revokeApiKey(apiKey)).toThrow('There is no API key with this value, or it was revoked before')
  })

  it('cannot be made with a scope that does not exist', () => {
    const { sandbox } = startSandbox()

    expect(() => sandbox.createApiKey({ scopes: ['transactions:capure' as Scope] })).toThrow(
      'scopes[0] must be the name of a scope: did you mean "transactions:capture"?',
    )
  })

  it.each([
    [undefined, 'scopes is missing'],
    [['transactions:capture'], 'must be an object of options'],
    [{}, 'scopes is missing: it must be an array of scopes'],
    [{ scopes: 'transactions:capture' }, 'scopes must be an array of scopes'],
    [{ scopes: [5] }, 'scopes[0] must be the name of a scope'],
    [{ scopes: ['constructor'] }, 'scopes[0] must be the name of a scope'],
    [{ scopes: [], scope: 'transactions:capture' }, 'scope is not an option: did you mean "scopes"?'],
  ])('cannot be made with %j', (options, message) => {
    const { sandbox } = startSandbox()

    expect(() => sandbox.createApiKey(options as { scopes: Scope[] })).toThrow(message)
  })
})
