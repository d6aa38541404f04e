import { describe, expect, it } from 'vitest'
import {
  createSandbox,
  type SandboxOptions,
  type SandboxSnapshot,
  type ScenarioName,
  tokens,
} from '../../../src/testing/index.js'
import { aPayment, refusal, startSandbox } from '../../support/start-sandbox.js'

describe('createSandbox', () => {
  it.each([
    [{ sede: 1 }, 'sede is not an option: did you mean "seed"?'],
    [{ seed: Number.NaN }, 'seed must be a number or a string'],
    [{ now: new Date('never') }, 'now must be a valid Date'],
    [{ listDelay: 'a minute' }, 'listDelay must be'],
    [{ idempotency: 'retry' }, `idempotency must be 'replay', 'conflict' or 'conflict-400'`],
    [{ sessionUpdate: 'patch' }, `sessionUpdate must be 'merge' or 'replace'`],
    [5, 'must be an object of options'],
    [null, 'must be an object of options'],
  ])('rejects the options %j', (options, message) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(message)
  })
})

describe('an id from the sandbox', () => {
  it.each([
    [7, 'key_uyLHWLsqrLMFuvwNGV3a', 'sig_VVQI7McGtbKxjTY8y7pC'],
    ['seven', 'key_RzNFo1shYBxVpEfhTy8f', 'sig_iX3NKKYwMBpZN6s1dvOI'],
  ])('generates ids from the seed %j', (seed, apiKey, secret) => {
    const sandbox = createSandbox({ seed })

    expect([sandbox.apiKey, sandbox.webhooks.secret]).toEqual([apiKey, secret])
  })

  it('starts each id with a prefix for the kind of object', async () => {
    const { client, sandbox } = startSandbox()
    const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))

    const ids = [
      sandbox.createApiKey({ scopes: [] }),
      sandbox.webhooks.rotateSecret(),
      sandbox.tokenize(),
      (await client.clientSessions.create()).clientToken,
      payment.id,
      payment.transactions?.[0]?.processorTransactionId ?? '',
      sandbox.completeAction(payment.id),
      sandbox.disputes.open(payment.id),
      (await client.paymentInstruments.vault('tok_card', { customerId: 'customer-1' })).token,
    ]

    const prefixes = ['key', 'sig', 'tok', 'client', 'pay', 'txn', 'resume', 'dispute', 'vaulted']
    expect(ids).toEqual(prefixes.map((prefix) => expect.stringMatching(new RegExp(`^${prefix}_[A-Za-z0-9]{20}$`))))
  })
})

describe('sandbox.clientOptions', () => {
  it('accepts overrides for every option', async () => {
    const { sandbox } = startSandbox()
    const apiKey = sandbox.createApiKey({ scopes: [] })

    const options = sandbox.clientOptions({ apiKey, apiVersion: '2.1', maxRetries: 0 })
    const { baseUrl } = sandbox.clientOptions()

    expect(options).toEqual({
      apiKey,
      baseUrl: sandbox.baseUrl,
      fetch: sandbox.fetch,
      apiVersion: '2.1',
      maxRetries: 0,
    })
    expect(baseUrl).toBe('https://sandbox.invalid')
  })
})

describe('sandbox.tokens', () => {
  it('contains the same tokens in every sandbox', () => {
    expect(tokens).toBe(startSandbox().sandbox.tokens)
    expect(tokens.softDecline).toBe('tok_soft_decline')
    expect(Object.keys(tokens)).toHaveLength(17)
  })
})

describe('sandbox.tokenize', () => {
  it('rejects unknown options, scenarios and sessions', () => {
    const { sandbox } = startSandbox()

    expect(() => sandbox.tokenize({ scenario: 'crad' as ScenarioName })).toThrow('did you mean "card"?')
    expect(() => sandbox.tokenize({ clientToken: 'client_unknown' })).toThrow('no client session')
    expect(() => sandbox.tokenize({ cilentToken: 'x' } as object)).toThrow(
      'cilentToken is not an option: did you mean "clientToken"?',
    )
    expect(() => sandbox.tokenize('declined' as unknown as object)).toThrow('must be an object of options')
    expect(() => sandbox.tokenize({ scenario: null as unknown as ScenarioName })).toThrow(
      'must be the name of a scenario',
    )
  })
})

describe('sandbox.snapshot and sandbox.restore', () => {
  it('restores the whole state of the sandbox', async () => {
    const { client, sandbox } = startSandbox()
    const session = await client.clientSessions.create({ orderId: 'order-17' })
    const before = await client.payments.create(aPayment(), { idempotencyKey: 'key-1' })
    const snapshot = sandbox.snapshot()

    const after = await client.payments.create(aPayment())
    await client.payments.capture(before.id)
    await sandbox.clock.advance('24h')
    sandbox.restore(snapshot)

    expect(await client.payments.get(before.id)).toEqual(before)
    expect((await refusal(client.payments.get(after.id))).httpStatus).toBe(404)
    expect((await client.payments.list()).data).toHaveLength(1)
    expect(await client.clientSessions.get(session.clientToken)).toEqual({ orderId: 'order-17' })
    expect(sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'))
    expect(sandbox.ledger).toHaveLength(2)
    expect(await client.payments.create(aPayment(), { idempotencyKey: 'key-1' })).toEqual(before)
  })

  it('rejects an invalid snapshot without changing the state', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    const snapshot = createSandbox().snapshot()
    const effect = { operation: 'payments.steal', resourceId: 'pay_1', at: '2026-01-31T12:00:00Z' }
    const others: [value: unknown, problem: string][] = [
      [undefined, 'version must be 1, the format of this release'],
      [{ ...snapshot, version: undefined }, 'version must be 1, the format of this release'],
      [{ ...snapshot, version: 2 }, 'version must be 1, the format of this release'],
      [{ ...snapshot, ledger: [effect] }, 'ledger contains an unknown operation'],
      [{ ...snapshot, ledger: [{ ...effect, operation: 'processor.steal' }] }, 'ledger contains an unknown operation'],
      [{ ...snapshot, ledger: {} }, 'ledger must be an array of objects'],
      [{ ...snapshot, deliveries: undefined }, 'deliveries must be an array of objects'],
      [{ ...snapshot, store: undefined }, 'store.payments must be an array of objects'],
      [{ ...snapshot, store: { ...snapshot.store, sessions: [5] } }, 'store.sessions must be an array of objects'],
      [{ ...snapshot, store: { ...snapshot.store, payments: [{}] } }, 'store.payments contains a row without payment'],
      [{ ...snapshot, deliveries: [{ body: '{' }] }, 'deliveries contains a body that is not a JSON object'],
      [{ ...snapshot, deliveries: [{ body: 'null' }] }, 'deliveries contains a body that is not a JSON object'],
      [{ ...snapshot, time: 1e16 }, 'time must be in the years 1 to 9999'],
    ]
    for (const [other, problem] of others) {
      expect(() => sandbox.restore(other as SandboxSnapshot)).toThrow(
        new TypeError(`The value is not a snapshot of a sandbox: ${problem}. Pass a result of snapshot()`),
      )
    }
    expect((await client.payments.get(id)).id).toBe(id)
  })

  it('transfers all records as JSON to another sandbox', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    const { token } = await client.paymentInstruments.vault('tok_card', { customerId: 'customer-1' })
    sandbox.loyalty.setBalance('connection-1', 'customer-1', 300)
    const disputeId = sandbox.disputes.open(id)
    await sentEvents()
    const other = startSandbox()

    other.sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot())))

    expect(other.sandbox.history(id)).toEqual([{ status: 'AUTHORIZED', at: '2026-01-31T12:00:00.000Z' }])
    expect(other.sandbox.webhooks.deliveries).toEqual(sandbox.webhooks.deliveries)
    other.sandbox.disputes.move(disputeId, 'WON')
    expect((await other.client.payments.capture(id)).status).toBe('SETTLING')
    expect((await client.payments.get(id)).status).toBe('AUTHORIZED')
    expect(await other.client.paymentInstruments.list({ customerId: 'customer-1' })).toMatchObject([{ token }])
    const { balance } = await other.client.loyalty.customers.get('customer-1', { connectionId: 'connection-1' })
    expect(balance).toBe(300)
  })

  it('excludes API keys and signing secrets, which the sandbox keeps', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const revoked = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    await client.withOptions({ apiKey: revoked }).payments.list()
    await client.payments.create(aPayment())
    sandbox.webhooks.rotateSecret()
    await sentEvents()
    const snapshot = sandbox.snapshot()

    sandbox.revokeApiKey(revoked)
    const created = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const secret = sandbox.webhooks.rotateSecret()
    sandbox.restore(snapshot)

    expect(JSON.stringify(snapshot)).not.toMatch(/(key|sig)_[A-Za-z0-9]{20}/)
    expect((await client.withOptions({ apiKey: created }).payments.list()).data).toHaveLength(1)
    expect((await refusal(client.withOptions({ apiKey: revoked }).payments.list())).httpStatus).toBe(401)
    expect(sandbox.webhooks.secret).toBe(secret)
  })

  it.each([
    ['creates the same ids again after a restore if the sandbox has a seed', 1],
    ['creates new ids after a restore if the sandbox has no seed', undefined],
  ])('%s', async (_, seed) => {
    const { client, sandbox } = startSandbox({ seed })
    const snapshot = sandbox.snapshot()
    const { id } = await client.payments.create(aPayment())

    sandbox.restore(snapshot)

    expect((await client.payments.create(aPayment())).id === id).toBe(seed !== undefined)
  })
})

describe('sandbox.reset', () => {
  it('removes everything except the API key, the webhook secret and the subscribers', async () => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const { apiKey } = sandbox
    const { secret } = sandbox.webhooks
    const { id } = await client.payments.create(aPayment())
    await sandbox.clock.advance('1h')
    sandbox.faults.add({ operation: 'payments.get', status: 500, times: 99 })
    const created = sandbox.createApiKey({ scopes: [] })

    sandbox.reset()

    expect([sandbox.requests, sandbox.webhooks.deliveries, sandbox.ledger]).toEqual([[], [], []])
    expect(() => sandbox.history(id)).toThrow('There is no payment with this ID')
    expect(() => sandbox.revokeApiKey(created)).toThrow('There is no API key with this value')

    expect((await refusal(client.payments.get(id))).httpStatus).toBe(404)
    expect(sandbox.clock.now()).toEqual(new Date('2026-01-31T12:00:00Z'))
    expect([sandbox.apiKey, sandbox.webhooks.secret]).toEqual([apiKey, secret])
    const before = await sentStatuses()
    await client.payments.create(aPayment())
    expect(await sentStatuses()).toHaveLength(before.length + 1)
  })
})
