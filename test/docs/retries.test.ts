import { type CreatePaymentBody, isPaymentsError, PaymentsClient } from 'payments-client'
import { createSandbox, type Sandbox } from 'payments-client/sandbox'
import { describe, expect, it, vi } from 'vitest'
import { type Attempt, finishAttempts, pay } from '../../examples/recipes/survive-a-crash.js'
import { evaluate, runSnippet, type Snippet, snippetsIn } from '../support/snippets.js'

const snippets = snippetsIn('docs/guides/retries-and-idempotency.md')

/** Runs the code block that contains the given string. */
const runBlock = (part: string, replaced: Record<string, unknown>) =>
  runSnippet(snippets.find(({ code }) => code.includes(part))!, replaced)

const startPast = () => createSandbox({ now: new Date(Date.now() - 600_000) })
const clientOf = (sandbox: Sandbox) => new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
const orderFor = (orderId: string, { tokens }: Sandbox) => ({
  paymentMethodToken: tokens.card,
  orderId,
  currencyCode: 'EUR',
  amount: 5000,
})

/** Returns a shop's functions, whose attempts are the given ones. */
function attemptsOf(attempts: readonly Attempt[]) {
  return {
    start: async () => attempts[0] as Attempt,
    finish: vi.fn(),
    unfinished: async () => attempts,
    giveUp: vi.fn(),
  }
}

const attemptAt = (time: Date, body: CreatePaymentBody): Attempt => {
  const { orderId = '' } = body
  return { orderId, idempotencyKey: `pay-${orderId}-1`, body, firstSentAt: time, lastSentAt: time }
}

describe('pay in examples/recipes/survive-a-crash.ts', () => {
  it('sends the stored body with the stored key', async () => {
    const sandbox = createSandbox()
    const attempts = attemptsOf([attemptAt(new Date(), orderFor('order-17', sandbox))])

    await pay(clientOf(sandbox), attempts, 'order-17', sandbox.tokens.card)

    expect(sandbox.ledger).toMatchObject([{ operation: 'payments.create', idempotencyKey: 'pay-order-17-1' }])
    expect(attempts.finish).toHaveBeenCalledWith('order-17', [expect.objectContaining({ amount: 5000 })])
  })

  it('sends nothing if the process paused for more than a minute', async () => {
    const sandbox = createSandbox()
    const attempts = attemptsOf([attemptAt(new Date(Date.now() - 61_000), orderFor('order-17', sandbox))])

    await expect(pay(clientOf(sandbox), attempts, 'order-17', sandbox.tokens.card)).rejects.toThrow('paused')

    expect(sandbox.requests).toEqual([])
  })
})

describe('the idempotency function in docs/guides/retries-and-idempotency.md', () => {
  it('throws before the call sends a request if it cannot derive a key', async () => {
    const sandbox = createSandbox()
    const clients: PaymentsClient[] = []
    const client = { withOptions: (options: object) => clients.push(clientOf(sandbox).withOptions(options)) }
    await runBlock('idempotency: (operation', { client, sandbox }).catch(() => {})
    const [keyed] = clients as [PaymentsClient]

    await expect(keyed.payments.create(orderFor('order-17', sandbox))).rejects.toMatchObject({ outcome: 'not_sent' })
    await expect(keyed.payments.capture('pay_1')).rejects.toMatchObject({ outcome: 'not_sent' })
    await expect(keyed.payments.refund('pay_1', { amount: 500 })).rejects.toMatchObject({ outcome: 'not_sent' })

    expect(sandbox.requests).toEqual([])
  })
})

describe('finishAttempts in examples/recipes/survive-a-crash.ts', () => {
  it('finds the payments of customers who left, and charges nobody twice', async () => {
    const sandbox = startPast()
    const client = clientOf(sandbox)
    const sentAt = sandbox.clock.now()
    for (const at of ['after', 'before'] as const) {
      sandbox.faults.add({ operation: 'payments.create', at, reset: true })
      await expect(client.payments.create(orderFor(`lost-${at}`, sandbox))).rejects.toMatchObject({
        outcome: 'unknown',
      })
    }
    const attempts = attemptsOf(
      ['lost-after', 'lost-before'].map((orderId) => attemptAt(sentAt, orderFor(orderId, sandbox))),
    )
    await sandbox.clock.advance('6m')

    await finishAttempts(client, attempts)

    expect(attempts.finish.mock.calls).toEqual([['lost-after', [expect.objectContaining({ status: 'AUTHORIZED' })]]])
    expect(attempts.giveUp.mock.calls).toEqual([['lost-before']])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create'])
  })

  it('does not give up a payment while a late request may still create it', async () => {
    const sandbox = startPast()
    const client = clientOf(sandbox)
    const attempts = attemptsOf([attemptAt(sandbox.clock.now(), orderFor('order-17', sandbox))])
    sandbox.setOptions({ listDelay: '60s' })
    await sandbox.clock.advance(60_000 + 120_000 + 89_000)
    await client.payments.create(orderFor('order-17', sandbox)) // the last request takes effect after 89 s
    await finishAttempts(client, attempts)
    expect(attempts.finish).not.toHaveBeenCalled()

    await sandbox.clock.advance('61s')
    await finishAttempts(client, attempts)

    expect(attempts.finish).toHaveBeenCalledOnce()
    expect(attempts.giveUp).not.toHaveBeenCalled()
  })
})

describe('payments.resume', () => {
  it('accepts the same resume token again after an unknown outcome', async () => {
    const sandbox = createSandbox()
    const client = new PaymentsClient(sandbox.clientOptions())
    const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
    const { id } = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.requires3ds })
    const resumeToken = sandbox.completeAction(id)
    sandbox.faults.add({ operation: 'payments.resume', at: 'before', reset: true })
    await expect(client.payments.resume(id, { resumeToken })).rejects.toMatchObject({ retry: 'check-first' })

    const resumed = await client.payments.resume(id, { resumeToken })
    const again = await client.payments.resume(id, { resumeToken }).catch((error) => error.retry)

    expect([resumed.status, again]).toEqual(['AUTHORIZED', 'new-key'])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.resume'])
  })
})

describe('the steps in docs/guides/engines.md', () => {
  const [captureStep, payStep] = snippetsIn('docs/guides/engines.md') as [Snippet, Snippet]

  /** Returns the exported functions of a step, whose client uses the sandbox. */
  function load({ code }: Snippet, sandbox: Sandbox) {
    const options = sandbox.clientOptions({ maxRetries: 0 })
    const modules = { 'payments-client': { isPaymentsError, PaymentsClient: PaymentsClient.bind(null, options) } }
    return evaluate(code, {}, modules) as Promise<Record<string, (data: object) => Promise<object>>>
  }

  it('the capture step returns its earlier result when it runs again', async () => {
    const sandbox = createSandbox({ idempotency: 'conflict' })
    const { id: paymentId } = await clientOf(sandbox).payments.create(orderFor('17', sandbox))
    const { capture } = await load(captureStep, sandbox)
    const parcel = { orderId: '17', parcel: 'parcel-1', paymentId, amount: 2000 }

    expect([await capture!(parcel), await capture!(parcel)]).toEqual([{ status: 'SETTLED' }, { status: 'SETTLED' }])
    expect(sandbox.ledger).toHaveLength(2)
  })

  const checkoutAt = (startedAt: number, { tokens }: Sandbox) => ({
    ...{ orderId: '17', attempt: 1, paymentMethodToken: tokens.card, amount: 5000, startedAt },
  })

  it('the payment step charges once if it runs again after a lost response', async () => {
    const sandbox = createSandbox()
    const { pay } = await load(payStep, sandbox)
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    const checkout = checkoutAt(Date.now(), sandbox)
    await expect(pay!(checkout)).rejects.toMatchObject({ retry: 'same-key' })

    expect(await pay!(checkout)).toMatchObject({ payments: [{ status: 'AUTHORIZED' }] })
    expect(sandbox.ledger).toMatchObject([{ idempotencyKey: 'pay-17-1', amount: 5000 }])
  })

  it('the payment step only looks up the payment once a minute has passed', async () => {
    const sandbox = createSandbox()
    const { pay } = await load(payStep, sandbox)
    await expect(pay!(checkoutAt(Date.now() - 61_000, sandbox))).rejects.toThrow('Run the step again at')
    expect(await pay!(checkoutAt(Date.now() - 300_000, sandbox))).toEqual({ payments: [] })
    expect(sandbox.ledger).toEqual([])
    await clientOf(sandbox).payments.create(orderFor('17', sandbox))

    const paid = await pay!(checkoutAt(Date.now() - 61_000, sandbox))

    expect(paid).toMatchObject({ payments: [{ status: 'AUTHORIZED' }] })
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('the payment step returns the reason why it must not run again', async () => {
    const sandbox = createSandbox()
    const { pay } = await load(payStep, sandbox)

    const rejected = await pay!({ ...checkoutAt(Date.now(), sandbox), paymentMethodToken: 'tok_unknown' })

    expect(rejected).toMatchObject({ retry: 'new-key' })
  })
})
