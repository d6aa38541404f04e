import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { Scope } from '../../src/contract/operation.js'
import { type PaymentsClient, PermissionError } from '../../src/index.js'
import { type OperationName, operations } from '../support/operations.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

const scoped: Readonly<Record<Scope, readonly OperationName[]>> = {
  'client_tokens:write': ['clientSessions.create'],
  'third_party:webhook_trigger': [],
  'transactions:authorize': ['payments.authorize'],
  'transactions:cancel': ['payments.cancel'],
  'transactions:capture': ['payments.capture'],
  'transactions:retrieve': ['payments.get', 'payments.list'],
  'transactions:refund': ['payments.refund'],
  'payment_instrument:read': ['paymentInstruments.list'],
  'payment_instrument:write': ['paymentInstruments.vault', 'paymentInstruments.setDefault'],
  'observability-payments:write': ['observability.payments.create'],
  'loyalty-transactions:write': ['loyalty.transactions.create'],
  'loyalty-transactions:read': ['loyalty.transactions.list', 'loyalty.customers.get'],
}

/** The operations that a key is not allowed. What it is allowed may well be refused for another reason. */
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

/** What a scope opens: forbidden without it, and allowed with it alone. */
async function openedBy(start: Start, scope: Scope): Promise<OperationName[]> {
  const { client, sandbox } = await start()
  const others = (Object.keys(scoped) as Scope[]).filter((other) => other !== scope)
  const without = await forbidden(client.withOptions({ apiKey: sandbox.createApiKey({ scopes: others }) }))
  const alone = await forbidden(client.withOptions({ apiKey: sandbox.createApiKey({ scopes: [scope] }) }))
  return without.filter((name) => !alone.includes(name))
}

describeService('Authentication', (start) => {
  it('authentication.header: sends the key with every request, and gets nowhere without', async () => {
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

  it('authentication.secret: takes the key from wherever it is kept, and prints it nowhere', async () => {
    const { client, sandbox, requests } = await start()
    const kept = client.withOptions({ apiKey: async () => sandbox.apiKey })

    const error = await refusal(kept.payments.get('pay_unknown'))

    expect(requests[0]?.headers.get('x-api-key')).toBe(sandbox.apiKey)
    expect(inspect([kept, error], { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(sandbox.apiKey)
  })

  it('authentication.keys: knows the keys that were made and not revoked, each with its scopes', async () => {
    const { client, sandbox } = await start()
    const retrieve = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const capture = sandbox.createApiKey({ scopes: ['transactions:capture'] })
    const list = (apiKey: string) =>
      client
        .withOptions({ apiKey })
        .payments.list()
        .then(
          () => 200,
          ({ status }) => status,
        )
    sandbox.revokeApiKey(sandbox.createApiKey({ scopes: ['transactions:retrieve'] }))

    expect([await list(retrieve), await list(capture), await list('key_of_nobody')]).toEqual([200, 403, 401])
  })

  it('authentication.immediate: stops taking a key as soon as it is revoked', async () => {
    const { client, sandbox } = await start()
    const apiKey = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const limited = client.withOptions({ apiKey })
    const before = await limited.payments.list()

    sandbox.revokeApiKey(apiKey)

    expect(before.data).toEqual([])
    expect(await refusal(limited.payments.list())).toMatchObject({ status: 401, outcome: 'rejected' })
  })

  it('scope.client-tokens-write: opens the creation of client sessions', async () => {
    expect(await openedBy(start, 'client_tokens:write')).toEqual(scoped['client_tokens:write'])
  })

  it('scope.third-party-webhook-trigger: opens nothing here, for its endpoint is the processors’', async () => {
    expect(await openedBy(start, 'third_party:webhook_trigger')).toEqual(scoped['third_party:webhook_trigger'])
  })

  it('scope.transactions-authorize: opens authorize', async () => {
    expect(await openedBy(start, 'transactions:authorize')).toEqual(scoped['transactions:authorize'])
  })

  it('scope.transactions-cancel: opens cancel', async () => {
    expect(await openedBy(start, 'transactions:cancel')).toEqual(scoped['transactions:cancel'])
  })

  it('scope.transactions-capture: opens capture', async () => {
    expect(await openedBy(start, 'transactions:capture')).toEqual(scoped['transactions:capture'])
  })

  it('scope.transactions-retrieve: opens one payment, and the list', async () => {
    expect(await openedBy(start, 'transactions:retrieve')).toEqual(scoped['transactions:retrieve'])
  })

  it('scope.transactions-refund: opens refund', async () => {
    expect(await openedBy(start, 'transactions:refund')).toEqual(scoped['transactions:refund'])
  })

  it('scope.payment-instrument-read: opens the list of saved payment methods', async () => {
    expect(await openedBy(start, 'payment_instrument:read')).toEqual(scoped['payment_instrument:read'])
  })

  it('scope.payment-instrument-write: opens saving, and making the default', async () => {
    expect(await openedBy(start, 'payment_instrument:write')).toEqual(scoped['payment_instrument:write'])
  })

  it('scope.observability-payments-write: opens the creation of external payments', async () => {
    expect(await openedBy(start, 'observability-payments:write')).toEqual(scoped['observability-payments:write'])
  })

  it('scope.loyalty-transactions-write: opens the creation of loyalty transactions', async () => {
    expect(await openedBy(start, 'loyalty-transactions:write')).toEqual(scoped['loyalty-transactions:write'])
  })

  it('scope.loyalty-transactions-read: opens the loyalty transactions, and the customers', async () => {
    expect(await openedBy(start, 'loyalty-transactions:read')).toEqual(scoped['loyalty-transactions:read'])
  })
})

describeService('Signatures', (start) => {
  const hmac = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('base64')

  it('signature.primary: is an HMAC of the body with the shared secret, in base64', async () => {
    const { client, sandbox } = await start()
    await client.payments.create(aPayment())
    await sandbox.webhooks.flush()

    const [delivery] = sandbox.webhooks.deliveries

    expect(delivery?.headers).toEqual({
      'X-Signature-Primary': hmac(sandbox.webhooks.secret, delivery?.body ?? ''),
    })
  })

  it('signature.secondary: is made with the old secret, until 24 hours after the rotation', async () => {
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
