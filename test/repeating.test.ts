import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../src/index.js'
import { authorizedPayment } from './answers/payments.js'
import { failureOf, refused } from './support/failures.js'
import { aClient } from './support/recording-fetch.js'

// Further attempts are made at once.
beforeEach(() => {
  const dice = vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => dice.mockRestore()
})

const resume = (client: PaymentsClient) => client.payments.resume('pay_1', { resumeToken: 'resume_1' })
const refuses = (code: string) => () => Promise.reject(Object.assign(new Error(), { code }))

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
