import { describe, expect, it } from 'vitest'
import { aClient, clientReceiving, errorResponse, failureOf } from '../support/clients.js'

describe('the error for a response with long texts', () => {
  /** Returns the CPU time in milliseconds. Unlike wall time, it does not depend on other processes. */
  async function maskingTime(description: string): Promise<number> {
    const body = JSON.stringify({ error: { errorId: 'TooLong', description } })
    const client = clientReceiving(body, { status: 400 }, { maxResponseBytes: 2 ** 27, timeout: 600_000 })
    const before = process.cpuUsage()
    await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata: { token: 'a@b7' } }))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }

  it.each([
    ['one letter', 'a'],
    ['digits', '7'],
    ['digits with separators', '7 7-'],
    ['incomplete email addresses', 'a@'],
    ['words as long as an email address’s local part', `${'a'.repeat(60)} `],
    ['a request value', 'tok_1'],
    ['the start of a request value', 'tok_'],
    ['control characters', '\u0001'],
  ])('masks the service’s description in linear time: %s', async (_, part) => {
    // Quadratic masking of 1 MiB would take hours. Linear masking takes less time than reading the body.
    expect(await maskingTime(part.repeat(1024 ** 2 / part.length))).toBeLessThan(60_000)
  })

  it.each(['errorId', 'diagnosticsId', 'paymentId'])(
    'omits the %s from the error if it has more than 1,000 characters',
    async (name) => {
      const responseWith = (length: number) => errorResponse(400, { description: 'No', [name]: 'a'.repeat(length) })
      const { client } = aClient([responseWith(1_000), responseWith(1_001)])

      expect(await failureOf(client.payments.get('pay_1'))).toHaveProperty(name)
      expect(await failureOf(client.payments.get('pay_1'))).not.toHaveProperty(name)
    },
  )

  it('lists at most 20 invalid fields in the error message', async () => {
    const fields = Array.from({ length: 21 }, (_, index) => ({ path: `$${index}` }))
    const many: object[][] = [[{ errors: fields }], fields.map((field) => ({ errors: [field] }))]

    for (const validationErrors of many) {
      const { client } = aClient([errorResponse(400, { errorId: 'Invalid', description: 'No', validationErrors })])
      const error = await failureOf(client.payments.get('pay_1'))
      expect(error.message).toMatch(/; \$18; \$19$/)
      expect(error).toMatchObject({ validationErrors })
    }
  })

  it('masks a secret even if the 300-character limit splits it', async () => {
    const resumeToken = 'secret-'.repeat(30)
    const description = `${'a'.repeat(200)} ${resumeToken}`
    const { client } = aClient([errorResponse(400, { errorId: 'InvalidToken', description })])

    const error = await failureOf(client.payments.resume('pay_1', { resumeToken }))

    expect(error.message).not.toContain('secret')
  })
})
