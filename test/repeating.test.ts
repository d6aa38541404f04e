import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../src/index.js'
import { authorizedPayment } from './answers/payments.js'
import { stopClock } from './support/clock.js'
import { failureOf, refused } from './support/failures.js'
import { aClient } from './support/recording-fetch.js'

// Further attempts are made at once.
beforeEach(() => {
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => dice.mockRestore()
})

const resume = (client: PaymentsClient) => client.payments.resume('pay_1', { resumeToken: 'resume_1' })
const refuses = (code: string) => () => Promise.reject(Object.assign(new Error(), { code }))

describe('a call whose service asks to wait', () => {
  it.each([
    ['a minute', '60', undefined, 60_000],
    ['as long as there is time', '59', 60_000, 59_000],
  ])('is repeated when it is %s', async (_what, seconds, totalTimeout, expected) => {
    const { passUntil } = stopClock()
    const busy = refused(503, {}, { 'retry-after': seconds })
    const { client, requests } = aClient([busy, authorizedPayment], { maxRetries: 1, totalTimeout })

    const passed = await passUntil(client.payments.get('pay_1'))

    expect([passed, requests.length]).toEqual([expected, 2])
  })

  it.each([
    ['more than a minute', '61', undefined],
    ['as long as there is time', '60', 60_000],
  ])('fails at once when it is %s', async (_what, seconds, totalTimeout) => {
    const { passUntil } = stopClock()
    const busy = refused(503, {}, { 'retry-after': seconds })
    const { client, requests } = aClient([busy, authorizedPayment], { maxRetries: 1, totalTimeout })

    const failing = failureOf(client.payments.get('pay_1'))

    expect(await passUntil(failing)).toBe(0)
    expect(await failing).toMatchObject({ name: 'ServerError', retryAfterMs: Number(seconds) * 1_000 })
    expect(requests).toHaveLength(1)
  })
})

describe('a call that must not be made twice', () => {
  it.each([
    ['a 408', () => refused(408)],
    ['a 503', () => refused(503)],
    ['a broken connection', refuses('ECONNRESET')],
    ['an answer that cannot be read', () => new Response('<html>')],
  ])('is not repeated after %s', async (_what, answer) => {
    const { client, requests } = aClient([answer, authorizedPayment], { maxRetries: 2 })

    await failureOf(resume(client))

    expect(requests).toHaveLength(1)
  })

  it('is one with a key where none is sent', async () => {
    const { client, requests } = aClient([refused(503), authorizedPayment], { maxRetries: 2, idempotency: 'off' })

    await failureOf(client.payments.capture('pay_1'))

    expect(requests).toHaveLength(1)
  })

  it.each([
    ['a 429', () => refused(429)],
    ['a connection that was refused', refuses('ECONNREFUSED')],
  ])('is repeated after %s, with which nothing was done', async (_what, answer) => {
    const { client, requests } = aClient([answer, authorizedPayment], { maxRetries: 2 })

    await expect(resume(client)).resolves.toEqual(authorizedPayment)

    expect(requests).toHaveLength(2)
  })
})
