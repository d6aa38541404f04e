import { describe, expect, it } from 'vitest'
import { PaymentsClient } from '../../../src/index.js'
import { createSandbox } from '../../../src/testing/index.js'
import { failureOf } from '../../support/clients.js'
import { othersFinish } from '../../support/clock.js'
import { aPayment } from '../../support/start-sandbox.js'

const now = new Date('2026-03-01T12:00:00Z')

describe('a fault with effectDelay', () => {
  it('performs the operation after the connection was reset', async () => {
    const sandbox = createSandbox({ now })
    const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
    sandbox.faults.add({ operation: 'payments.create', effectDelay: '60s', reset: true })

    expect(await failureOf(client.payments.create(aPayment()))).toMatchObject({ outcome: 'unknown' })

    await sandbox.clock.advance('59s')
    expect(sandbox.ledger).toEqual([])
    await sandbox.clock.advance('1s')
    expect(sandbox.ledger).toMatchObject([{ operation: 'payments.create', at: '2026-03-01T12:01:00.000Z' }])
  })

  it('delays the original response if no other response replaces it', async () => {
    const sandbox = createSandbox({ now })
    const client = new PaymentsClient(sandbox.clientOptions())
    sandbox.faults.add({ effectDelay: 5_000 })

    const call = client.payments.create(aPayment())
    const response = call.then(({ status }) => status)
    await othersFinish()
    await sandbox.clock.advance('4s')
    expect(sandbox.ledger).toEqual([])
    await sandbox.clock.advance('1s')

    expect(await response).toBe('AUTHORIZED')
  })
})

describe('the sandbox option keyLifetime', () => {
  it.each([
    ['repeats the first response to a used key before keyLifetime ends', '59m', 1],
    ['performs a request with a used key again after keyLifetime has ended', '60m', 2],
  ] as const)('%s', async (_, time, effects) => {
    const sandbox = createSandbox({ now, keyLifetime: '1h' })
    const client = new PaymentsClient(sandbox.clientOptions())
    const create = () => client.payments.create(aPayment(), { idempotencyKey: 'create-1' })
    await create()

    await sandbox.clock.advance(time)
    await create()

    expect(sandbox.ledger).toHaveLength(effects)
  })

  it('applies a new keyLifetime from setOptions', async () => {
    const sandbox = createSandbox({ now })
    const client = new PaymentsClient(sandbox.clientOptions())
    const create = () => client.payments.create(aPayment(), { idempotencyKey: 'create-1' })
    await create()
    sandbox.setOptions({ keyLifetime: '1m' })

    await sandbox.clock.advance('2m')
    await create()

    expect(sandbox.ledger).toHaveLength(2)
  })
})
