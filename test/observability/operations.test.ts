import { context, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { createMemoryJournal, type JournalOptions, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTelemetry } from '../support/telemetry.js'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())

/** Starts a shop with a captured payment, whose journal uses the clock of the sandbox. */
async function aShop(journalOptions: JournalOptions = {}) {
  const sandbox = createSandbox({ now: new Date('2026-03-02T09:00:00Z') })
  const journal = createMemoryJournal({ ...journalOptions, now: () => sandbox.clock.now() })
  const options = sandbox.clientOptions({ journal, maxRetries: 0, logLevel: 'off' })
  const client = new PaymentsClient(options)
  const outside = new PaymentsClient({ ...options, journal: undefined })
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-1', currencyCode: 'EUR', amount: 4321 }
  const { id } = await outside.payments.create(body)
  await outside.payments.capture(id)
  const loseARefund = async (key: string, at: 'before' | 'after' = 'after') => {
    sandbox.faults.add({ at, reset: true, operation: 'payments.refund' })
    await expect(client.payments.refund(id, { amount: 700 }, { idempotencyKey: key })).rejects.toThrow()
  }
  return { sandbox, client, body, id, loseARefund }
}

/** Returns the values of a metric by operation and state, for example `{ 'payments.refund succeeded': 1 }`. */
async function valuesOf({ points }: ReturnType<typeof startTelemetry>, name: string) {
  const found = (await points()).filter((point) => point.name === `payments.client.operations.${name}`)
  return Object.fromEntries(
    found.map(({ attributes, value }) => [
      ['payments.operation', 'payments.state'].flatMap((label) => attributes[label] ?? []).join(' '),
      value,
    ]),
  )
}

describe('the metric payments.client.operations.settled', () => {
  it('counts each operation once even if operations.run or settle is called again', async () => {
    const telemetry = startTelemetry()
    const { client, body, id, loseARefund } = await aShop()
    await client.payments.create({ ...body, orderId: 'order-2' })
    await client.payments.refund(id, { amount: 999_999 }, { idempotencyKey: 'refund-1' }).catch(() => {})
    await client.operations.plan({ key: 'refund-2', operation: 'payments.refund', id, body: { amount: 100 } })
    await client.operations.run('refund-2')
    await client.operations.run('refund-2')
    await loseARefund('refund-3')
    const before = await valuesOf(telemetry, 'settled')

    await client.operations.recover({ onSettled: () => {} })
    await client.operations.recover({ onSettled: () => {} })

    expect(before).toEqual({
      'payments.create succeeded': 1,
      'payments.refund rejected': 1,
      'payments.refund succeeded': 1,
    })
    expect(await valuesOf(telemetry, 'settled')).toEqual({ ...before, 'payments.refund succeeded': 2 })
  })

  it('counts operations that need a review or were not executed', async () => {
    const telemetry = startTelemetry()
    const { sandbox, client, body, loseARefund } = await aShop({ keyLifetime: 3_600_000 })
    await client.operations.plan({ key: 'pay-1', operation: 'payments.create', body: { ...body, orderId: 'order-2' } })
    await loseARefund('refund-1', 'before')
    await sandbox.clock.advance('2h')

    await client.operations.recover()

    expect(await valuesOf(telemetry, 'settled')).toEqual({
      'payments.create not_executed': 1,
      'payments.refund needs_review': 1,
    })
  })

  it('counts an operation only after its result is stored', async () => {
    const telemetry = startTelemetry()
    const { client, id } = await aShop()
    await client.operations.plan({ key: 'refund-1', operation: 'payments.refund', id })
    const onSettled = vi.fn().mockImplementationOnce(() => {
      throw new TypeError('locked')
    })

    await client.operations.recover({ onSettled })
    const failed = await valuesOf(telemetry, 'settled')
    await client.operations.recover({ onSettled })

    expect(failed).toEqual({})
    expect(await valuesOf(telemetry, 'settled')).toEqual({ 'payments.refund succeeded': 1 })
    const spans = telemetry.finishedSpans().filter(({ name }) => name === 'recover payments.refund')
    expect(spans).toMatchObject([
      {
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'TypeError', 'payments.state': 'sent' },
      },
      { status: { code: SpanStatusCode.UNSET }, attributes: { 'payments.state': 'succeeded' } },
    ])
  })
})

describe('the metric payments.client.operations.open', () => {
  it('stops updating the metric after the instrumentation stops', async () => {
    const telemetry = startTelemetry()
    const { client, body } = await aShop()
    await client.payments.create(body)
    const before = await valuesOf(telemetry, 'open')
    telemetry.stop()

    await client.operations.plan({ key: 'pay-1', operation: 'payments.create', body })

    expect(before).toEqual({ planned: 0, sent: 0, unknown: 0 })
    expect(await valuesOf(telemetry, 'open')).toEqual(before)
  })
})

describe('the OpenTelemetry span of an operation', () => {
  it('creates a span with operation and state as the parent of the calls’ spans', async () => {
    const telemetry = startTelemetry()
    const { client, id, loseARefund } = await aShop()
    await loseARefund('refund-1')
    await client.operations.plan({ key: 'refund-2', operation: 'payments.refund', id, body: { amount: 5 } })
    await client.operations.run('refund-2')

    await client.operations.recover()

    const spans = telemetry.finishedSpans()
    const [run, recover, ...others] = spans.filter(({ name }) => / payments\.refund$/.test(name))
    expect(others).toEqual([])
    const attributes = { 'payments.operation': 'payments.refund', 'payments.state': 'succeeded' }
    expect([run, recover]).toMatchObject([
      { name: 'run payments.refund', kind: SpanKind.INTERNAL, attributes },
      { name: 'recover payments.refund', kind: SpanKind.INTERNAL, attributes },
    ])
    const childrenOf = (span: (typeof spans)[number] | undefined) =>
      spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === span?.spanContext().spanId)
    expect(childrenOf(run).map(({ name }) => name)).toContain('payments.refund')
    expect(childrenOf(recover).map(({ name }) => name)).toContain('payments.refund')
  })

  it('adds no idempotency key, token or id to an operation’s span', async () => {
    const telemetry = startTelemetry()
    const { sandbox, client, body } = await aShop()
    await client.operations.plan({
      key: 'canary-key',
      operation: 'payments.create',
      body: { ...body, amount: 987654321 },
    })
    const { payment } = await client.operations.run('canary-key')

    const spans = telemetry.finishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events }))
    const printed = JSON.stringify([spans, await telemetry.points()])

    expect(printed).toContain('run payments.create')
    for (const secret of ['canary-key', sandbox.tokens.card, '987654321', payment.id])
      expect(printed).not.toContain(secret)
  })
})

describe('the diagnostics channel payments-client:operation', () => {
  it('publishes an operation’s key, cause and state, but not its journal', async () => {
    const { messages } = startTelemetry()
    const { client, loseARefund } = await aShop()
    await loseARefund('refund-1')
    await client.operations.recover()

    const published = messages.filter(({ message }) => message.startsWith('operation '))
    const facts = { operation: 'payments.refund', idempotencyKey: 'refund-1' }
    expect(published).toEqual([
      { message: 'operation start', ...facts, by: 'call' },
      { message: 'operation asyncEnd', ...facts, by: 'call', state: 'unknown', isFinal: false, result: undefined },
      { message: 'operation start', ...facts, by: 'recover' },
      { message: 'operation asyncEnd', ...facts, by: 'recover', state: 'succeeded', isFinal: true, result: undefined },
    ])
  })
})
