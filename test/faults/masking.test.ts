import { describe, expect, it } from 'vitest'
import { aClient, clientReceiving, errorResponse, failureOf } from '../support/clients.js'

const messageFor = async (description: string, note: string) => {
  const { client } = aClient([errorResponse(400, { errorId: 'InvalidNote', description })])
  const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata: { note } }))
  return error.message
}

describe('a request value in the description of an error', () => {
  const note = 'Order "Zoë\\Müller" /näh?'

  const inJson = JSON.stringify(note).slice(1, -1)
  const escaped = (value: string, pattern: RegExp) =>
    value.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

  it.each([
    ['it is quoted as it was sent', note],
    ['it is quoted in upper case', note.toUpperCase()],
    ['it is quoted in lower case', note.toLowerCase()],
    ['it is percent-encoded', encodeURIComponent(note)],
    ['it is percent-encoded in lower case', encodeURIComponent(note).toLowerCase()],
    ['it is JSON-escaped', inJson],
    ['it is JSON-escaped in upper case', inJson.toUpperCase()],
    ['its characters outside ASCII are escaped', escaped(inJson, /[^ -~]/g)],
    ['every character is escaped', escaped(note, /./gs)],
    ['every character is escaped in upper case', escaped(note, /./gs).toUpperCase().replaceAll('\\U', '\\u')],
  ])('is masked if %s', async (_, quoted) => {
    expect(await messageFor(`The value ${quoted} is wrong`, note)).toContain('The value […] is wrong')
  })

  it('is masked if it is long and each of its characters is escaped', async () => {
    const secret = 'abcdefghij'.repeat(60)

    const message = await messageFor(`The value ${escaped(secret, /./g)} is wrong`, secret)

    expect(message).toContain('The value […]')
    expect(message).not.toContain('\\u')
  })

  it.each(['a\\nb-c', 'C:\\u0041bc'])('is masked if the value itself contains a backslash: %s', async (value) => {
    expect(await messageFor(`The value ${value} is wrong`, value)).toContain('The value […] is wrong')
    expect(await messageFor(`The value ${JSON.stringify(value)} is wrong`, value)).toContain('value "[…]" is wrong')
  })

  it('is masked even if the line breaks in the value are escaped', async () => {
    expect(await messageFor('The value first\\nsecond is wrong', 'first\nsecond')).toContain('The value […] is wrong')
  })
})

describe('the error for a long response', () => {
  /** Returns the CPU time in milliseconds. Unlike wall time, it does not depend on other processes. */
  async function maskingTime(description: string): Promise<number> {
    const body = JSON.stringify({ error: { errorId: 'TooLong', description } })
    const client = clientReceiving(body, { status: 400 }, { maxResponseBytes: 2 ** 27, timeout: 60_000 })
    const before = process.cpuUsage()
    await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata: { note: 'a@b', size: 7 } }))
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
  ])('has a description that is masked in linear time: %s', async (_, part) => {
    // Quadratic masking of 2 MiB would take hours. Linear masking takes less time than reading the body.
    expect(await maskingTime(part.repeat((2 * 1024 * 1024) / part.length))).toBeLessThan(5_000)
  })

  it.each(['errorId', 'diagnosticsId', 'paymentId'])(
    'omits the %s if it has more than 1,000 characters',
    async (name) => {
      const responseWith = (length: number) => errorResponse(400, { description: 'No', [name]: 'a'.repeat(length) })
      const { client } = aClient([responseWith(1_000), responseWith(1_001)])

      expect(await failureOf(client.payments.get('pay_1'))).toHaveProperty(name)
      expect(await failureOf(client.payments.get('pay_1'))).not.toHaveProperty(name)
    },
  )

  it('lists at most 20 invalid fields in its message', async () => {
    const fields = Array.from({ length: 21 }, (_, index) => ({ path: `$${index}` }))
    const many: object[][] = [[{ errors: fields }], fields.map((field) => ({ errors: [field] }))]

    for (const validationErrors of many) {
      const { client } = aClient([errorResponse(400, { errorId: 'Invalid', description: 'No', validationErrors })])
      const error = await failureOf(client.payments.get('pay_1'))
      expect(error.message).toMatch(/; \$18; \$19$/)
      expect(error).toMatchObject({ validationErrors })
    }
  })

  it('masks a secret even if the 300-character limit truncates it', async () => {
    const note = 'secret-'.repeat(30)

    expect(await messageFor(`${'a'.repeat(200)} ${note}`, note)).not.toContain('secret')
  })
})
