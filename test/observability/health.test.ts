import { describe, expect, it, vi } from 'vitest'
import { aClient, errorResponse, failureOf, payment, retryAtOnce } from '../support/clients.js'
import { stopClock } from '../support/clock.js'

const start = new Date('2026-03-01T12:00:00Z')
const unavailable = () => new Response('', { status: 503 })

/** Moves the fake clock forward. */
function pass(seconds: number): void {
  vi.advanceTimersByTime(seconds * 1_000)
}

describe('client.health', () => {
  it('reports a full retry budget and no calls for a new client', () => {
    stopClock(start)

    expect(aClient().client.health()).toEqual({ retryBudget: 1, recentCalls: 0, recentUnknown: 0, since: start })
  })

  it('counts all finished calls, and the calls with an unknown outcome', async () => {
    stopClock(start)
    const { client } = aClient([payment, errorResponse(400, { errorId: 'Invalid' }), unavailable])
    const copy = client.withOptions({ timeout: 1_000 })

    await client.payments.get('pay_1')
    await failureOf(client.payments.capture('pay_1'))
    await failureOf(copy.payments.capture('pay_1'))
    await failureOf(client.payments.capture(''))

    expect(client.health()).toMatchObject({ recentCalls: 3, recentUnknown: 1 })
    expect(copy.health()).toEqual(client.health())
  })

  it('reports the remaining fraction of the retry budget', async () => {
    retryAtOnce()
    const { client } = aClient(unavailable, { maxRetries: 100 })

    await failureOf(client.payments.get('pay_1'))

    // The budget is enough for 100 retries.
    expect(client.health()).toMatchObject({ retryBudget: 0, recentCalls: 1, recentUnknown: 1 })
  })

  it('stops counting a call one to two minutes after the call has ended', async () => {
    stopClock(start)
    const { client } = aClient(() => Response.json(payment))
    const secondsLater = (seconds: number) => new Date(start.getTime() + seconds * 1_000)

    await client.payments.get('pay_1')
    pass(60)
    await client.payments.get('pay_1')
    expect(client.health()).toMatchObject({ recentCalls: 2, since: start })
    pass(60)
    expect(client.health()).toMatchObject({ recentCalls: 1, since: secondsLater(60) })
    pass(150)
    expect(client.health()).toMatchObject({ recentCalls: 0, since: secondsLater(270) })
  })
})
