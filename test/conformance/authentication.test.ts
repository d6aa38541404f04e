import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { type Scope, scopes } from '../../src/core/contract/operation.js'
import { type PaymentsClient, PermissionError } from '../../src/index.js'
import { type OperationName, operations } from '../support/operations.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService } from './service.js'

/** Returns the operations that respond 403 to the client's API key. Other operations may fail for different reasons. */
async function forbidden(client: PaymentsClient): Promise<OperationName[]> {
  const isForbidden = await Promise.all(
    operations.map(({ call }) =>
      Promise.resolve(call(client)).then(
        () => false,
        (error) => error instanceof PermissionError,
      ),
    ),
  )
  return operations.filter((_, index) => isForbidden[index]).map(({ name }) => name)
}

describeService('Authentication', (start) => {
  it('the service requires the API key in every request, and responds 401 without it', async () => {
    const { client, requests, ask, sandbox } = await start()

    await forbidden(client)
    const answers = await Promise.all(
      requests.map(({ method, url }) =>
        ask(method, url.replace(/^https?:..[^/]+/, ''), undefined, { 'x-api-key': '' }),
      ),
    )

    expect(requests.map(({ headers }) => headers.get('x-api-key'))).toEqual(Array(21).fill(sandbox.apiKey))
    expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(401))
  })

  it('the SDK takes the API key from a function, and never prints it', async () => {
    const { client, sandbox, requests } = await start()
    const kept = client.withOptions({ apiKey: async () => sandbox.apiKey })

    const error = await refusal(kept.payments.get('pay_unknown'))

    expect(requests[0]?.headers.get('x-api-key')).toBe(sandbox.apiKey)
    expect(inspect([kept, error], { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(sandbox.apiKey)
  })

  it('the service accepts a new API key for its scopes only, and rejects a revoked key', async () => {
    const { client, sandbox } = await start()
    const retrieve = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const capture = sandbox.createApiKey({ scopes: ['transactions:capture'] })
    const list = (apiKey: string) =>
      client
        .withOptions({ apiKey })
        .payments.list()
        .then(
          () => 200,
          ({ httpStatus }) => httpStatus,
        )
    sandbox.revokeApiKey(sandbox.createApiKey({ scopes: ['transactions:retrieve'] }))

    expect([await list(retrieve), await list(capture), await list('key_unknown')]).toEqual([200, 403, 401])
  })

  it('the service rejects an API key immediately after its revocation', async () => {
    const { client, sandbox } = await start()
    const apiKey = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const limited = client.withOptions({ apiKey })
    const before = await limited.payments.list()

    sandbox.revokeApiKey(apiKey)

    expect(before.data).toEqual([])
    expect(await refusal(limited.payments.list())).toMatchObject({ httpStatus: 401, outcome: 'rejected' })
  })

  it.each<[title: string, Scope, allowed: OperationName[]]>([
    ['the scope client_tokens:write allows creating client sessions', 'client_tokens:write', ['clientSessions.create']],
    ['the scope third_party:webhook_trigger allows no operation of the SDK', 'third_party:webhook_trigger', []],
    ['the scope transactions:authorize allows payments.authorize', 'transactions:authorize', ['payments.authorize']],
    ['the scope transactions:cancel allows payments.cancel', 'transactions:cancel', ['payments.cancel']],
    ['the scope transactions:capture allows payments.capture', 'transactions:capture', ['payments.capture']],
    [
      'the scope transactions:retrieve allows payments.get and payments.list',
      'transactions:retrieve',
      ['payments.get', 'payments.list'],
    ],
    ['the scope transactions:refund allows payments.refund', 'transactions:refund', ['payments.refund']],
    [
      'the scope payment_instrument:read allows listing saved payment methods',
      'payment_instrument:read',
      ['paymentInstruments.list'],
    ],
    [
      'the scope payment_instrument:write allows vault and setDefault',
      'payment_instrument:write',
      ['paymentInstruments.vault', 'paymentInstruments.setDefault'],
    ],
    [
      'the scope observability-payments:write allows creating external payments',
      'observability-payments:write',
      ['observability.payments.create'],
    ],
    [
      'the scope loyalty-transactions:write allows creating loyalty transactions',
      'loyalty-transactions:write',
      ['loyalty.transactions.create'],
    ],
    [
      'the scope loyalty-transactions:read allows reading transactions and customers',
      'loyalty-transactions:read',
      ['loyalty.transactions.list', 'loyalty.customers.get'],
    ],
  ])('%s', async (_, scope, allowed) => {
    const { client, sandbox } = await start()
    const others = scopes.filter((other) => other !== scope)

    const without = await forbidden(client.withOptions({ apiKey: sandbox.createApiKey({ scopes: others }) }))
    const alone = await forbidden(client.withOptions({ apiKey: sandbox.createApiKey({ scopes: [scope] }) }))

    expect(without.filter((name) => !alone.includes(name))).toEqual(allowed)
  })
})

describeService('Signatures', (start) => {
  const hmac = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('base64')

  it('the service sends the base64-encoded HMAC of the body with the shared secret', async () => {
    const { client, sandbox } = await start()
    await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    const [delivery] = sandbox.webhooks.deliveries

    expect(delivery?.headers).toEqual({
      'X-Signature-Primary': hmac(sandbox.webhooks.secret, delivery?.body ?? ''),
    })
  })

  it('the service also signs with the old secret until 24 hours after a rotation', async () => {
    const { client, sandbox } = await start()
    const { webhooks, clock } = sandbox
    const old = webhooks.secret
    webhooks.rotateSecret()

    await clock.advance('23h')
    await client.payments.create(aPayment())
    await webhooks.flush()
    await clock.advance('1h')
    await client.payments.create(aPayment())
    await webhooks.flush()

    const [within, after] = webhooks.deliveries
    expect(within?.headers).toEqual({
      'X-Signature-Primary': hmac(webhooks.secret, within?.body ?? ''),
      'X-Signature-Secondary': hmac(old, within?.body ?? ''),
    })
    expect(after?.headers).toEqual({ 'X-Signature-Primary': hmac(webhooks.secret, after?.body ?? '') })
  })
})
