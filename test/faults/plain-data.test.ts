import { type ClientOptions, PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { aClient, clientReceiving, payment, recordingClient, rejectionOf } from '../support/clients.js'
import { operations } from '../support/operations.js'

const hidden = (fields: object) =>
  Object.defineProperties(
    {},
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value, enumerable: false }])),
  )

/** Creates an instance of a class that has a getter for each field. */
const withGetters = (fields: object) => {
  class Options {}
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(Options.prototype, name, { get: () => value, configurable: true })
  }
  return new Options()
}

const withPrivateFields = (fields: object) =>
  new (class {
    readonly #fields = fields
    read() {
      return this.#fields
    }
  })()

const isPromise = 'is a promise: await it first'
const isInherited = 'is inherited, so JSON would omit it: copy the data into a plain object'
const isHidden = 'is not enumerable, so JSON would omit it: copy the data into a plain object'
const isOpaque = 'is a class instance without enumerable data: pass a plain object'
const hasToJson = 'has a toJSON method: convert it to a string or a plain object first'
const isIterable = 'is not a plain object: convert it first'

/**
 * Objects that are not plain data: `JSON.stringify` or `Object.keys` would omit or change their fields. Each object
 * comes with the expected issue message.
 */
const disguises: [string, (fields: object) => unknown, message: string][] = [
  ['a promise', (fields) => Promise.resolve(fields), isPromise],
  ['another thenable', (fields) => Object.assign({ then: () => {} }, fields), isPromise],
  ['an object with inherited data', (fields) => Object.create(fields), isInherited],
  [
    'an object with data inherited from a parent without a prototype',
    (fields) => Object.create(Object.assign(Object.create(null), fields)),
    isInherited,
  ],
  ['an object with non-enumerable data', hidden, isHidden],
  ['an instance of a class with getters', withGetters, isInherited],
  ['an instance of a class with private fields', withPrivateFields, isOpaque],
  ['a WeakMap', () => new WeakMap(), isOpaque],
  ['an object with toJSON', (fields) => ({ ...fields, toJSON: () => ({}) }), hasToJson],
  ['a Map', (fields) => new Map(Object.entries(fields)), isIterable],
  ['a Set', (fields) => new Set(Object.values(fields)), isIterable],
  ['a boxed number', () => new Number(1), 'is a boxed value: pass the primitive'],
  ['a boxed string', () => new String(''), isIterable],
  ['an array', (fields) => Object.values(fields), 'must be'],
]

const withInput = operations.filter(({ input }) => input !== undefined)
const amount = { amount: 500 }

describe('the validation of bodies and query parameters', () => {
  it.each(disguises)('every operation rejects a body or parameter that is %s', async (_, disguise) => {
    for (const { call, input } of withInput) {
      await rejectionOf((client) => call(client, undefined, disguise({ ...amount, ...(input as object) })))
    }
  })

  it.each(disguises)('client.request rejects a body or parameter that is %s', async (_, disguise) => {
    const data = disguise(amount) as never

    await rejectionOf((client) => client.request({ method: 'POST', path: '/other', body: data }))
    await rejectionOf((client) => client.request({ method: 'GET', path: '/other', query: data }))
    await rejectionOf((client) => client.request(disguise({ method: 'GET', path: '/other' }) as never))
  })

  it.each(disguises)('reports the path of a field that contains %s', async (_, disguise, message) => {
    const bodies: [(string | number)[], object][] = [
      [['customer'], { customer: disguise({ emailAddress: 'zoe@example.com' }) }],
      [['order', 'lineItems', 0], { order: { lineItems: [disguise({ itemId: 'item_1', amount: 500 })] } }],
      [['metadata', 'basket'], { metadata: { basket: disguise({ size: 3 }) } }],
    ]

    for (const [path, fields] of bodies) {
      const body = { paymentMethodToken: 'tok_1', ...fields } as never
      const { issues } = await rejectionOf((client) => client.payments.create(body))
      const found = issues.map((issue) => ({ ...issue, path: issue.path.slice(0, path.length) }))
      expect(found).toContainEqual(expect.objectContaining({ path, message: expect.stringContaining(message) }))
    }
  })

  it('accepts class instances and objects without a prototype', async () => {
    const { client, requests } = recordingClient()
    class Capture {
      amount = 500
      double() {
        return this.amount * 2
      }
    }

    await client.payments.capture('pay_1', new Capture())
    await client.payments.capture('pay_1', Object.assign(Object.create(null), amount))

    expect(requests.map(({ body }) => body)).toEqual(['{"amount":500}', '{"amount":500}'])
  })

  it('sends the validated values even if a getter returns new values later', async () => {
    for (const values of [
      [500, 0.5],
      [0.5, 500],
    ]) {
      const { client, requests } = recordingClient()
      let reads = 0
      const body = {
        get amount() {
          return values[reads++ % 2] as number
        },
      }

      await client.payments.refund('pay_1', body).catch(() => {})

      for (const request of requests) expect(request.body).toBe('{"amount":500}')
    }
  })
})

describe('the validation of options', () => {
  const optionDisguises: typeof disguises = [
    ...disguises,
    ['an AbortSignal', () => new AbortController().signal, isInherited],
    ['Headers', () => new Headers(), isIterable],
  ]

  it.each(optionDisguises)('a call rejects options that are %s', async (_, disguise) => {
    for (const { call, class: retryClass } of operations) {
      const options = retryClass === 'keyed' ? { idempotencyKey: 'key-of-mine' } : { timeout: 1_000 }
      const { message } = await rejectionOf((client) => call(client, disguise(options) as object))
      expect(message).toContain('options')
    }
  })

  it.each(optionDisguises)('PaymentsClient and withOptions reject options that are %s', (_, disguise) => {
    const options = disguise({ apiKey: 'key-1', baseUrl: 'https://payments.test' }) as ClientOptions
    const { client } = recordingClient()

    for (const create of [() => new PaymentsClient(options), () => client.withOptions(options)]) {
      expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError', outcome: 'not_sent' }))
    }
  })

  it('accepts options that are own properties of a class instance', async () => {
    const { client, requests } = recordingClient()
    class Options {
      idempotencyKey = 'key-of-mine'
    }
    const options = Object.defineProperty(new Options(), 'helper', { value: () => {} })

    await client.payments.capture('pay_1', {}, options)

    expect(requests[0]?.headers['x-idempotency-key']).toBe('key-of-mine')
  })

  const headerTypes: [string, (headers: Record<string, string>) => HeadersInit][] = [
    ['a Headers object', (headers) => new Headers(headers)],
    ['an array of pairs', (headers) => Object.entries(headers)],
    ['a plain object', (headers) => headers],
  ]

  it.each(headerTypes)('accepts %s as the option `headers`', async (_, create) => {
    const headers = create({ 'x-shop': 'berlin' })
    const { client, requests } = recordingClient()

    for (const { call } of operations) await call(client, { headers })

    expect(requests.map((request) => request.headers['x-shop'])).toEqual(operations.map(() => 'berlin'))
  })

  it.each([...disguises, ['an iterator', (fields: object) => Object.entries(fields).values(), isIterable] as const])(
    'rejects %s as the option `headers`',
    async (_, disguise) => {
      const headers = disguise({ 'x-shop': 'berlin' }) as Headers

      await rejectionOf((client) => client.payments.get('pay_1', { headers }))
      expect(() => aClient().client.withOptions({ headers })).toThrow(
        expect.objectContaining({ name: 'ConfigurationError' }),
      )
    },
  )

  it.each(headerTypes)('rejects reserved headers in %s', async (_, create) => {
    const headers = create({ 'X-Api-Key': 'stolen' })

    const { message } = await rejectionOf((client) => client.payments.get('pay_1', { headers } as never))

    expect(message).toContain('x-api-key')
  })

  it.each(optionDisguises)('client.request rejects options that are %s', async (_, disguise) => {
    const options = disguise({ idempotencyKey: 'key-of-mine' }) as object

    await rejectionOf((client) => client.request({ method: 'POST', path: '/other', body: {} }, options))
  })

  it('client.request rejects an unknown option, and suggests a valid name', async () => {
    const options = { idempotencykey: 'key-of-mine' }

    const error = await rejectionOf((client) => client.request({ method: 'POST', path: '/other' }, options as object))

    expect(error.message).toContain('idempotencyKey')
    expect(error.issues).toMatchObject([{ code: 'unknown_key' }])
  })

  it('withOptions rejects the option maxConnections', () => {
    const client = clientReceiving(payment)

    expect(() => client.withOptions({ maxConnections: 5 })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining('maxConnections') }),
    )
  })
})
