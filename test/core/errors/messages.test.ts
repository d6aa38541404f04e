import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ApiError, type PaymentsClient, TimeoutError } from '../../../src/index.js'
import { aClient, errorResponse, failureOf, rejectionOf } from '../../support/clients.js'
import { stopClock } from '../../support/clock.js'

describe('the message of an ApiError', () => {
  it('lists the fields that the service rejected', async () => {
    const fields = [
      { path: '$.amount', description: 'must be more than the fees' },
      { path: '$.currencyCode', description: 'is not enabled' },
    ]
    const response = errorResponse(400, {
      errorId: 'RequestValidationError',
      description: 'The request is not valid',
      validationErrors: [{ model: 'Payment', errors: fields }],
    })
    const { client } = aClient([response])

    const error = (await failureOf(client.payments.refund('pay_1'))) as ApiError

    expect(error.message).toBe(
      'payments.refund (POST /payments/:id/refund): the service responded 400 RequestValidationError: The request is ' +
        'not valid; $.amount must be more than the fees; $.currencyCode is not enabled',
    )
    expect(error.validationErrors).toEqual([{ model: 'Payment', errors: fields }])
    expect(error.description).toBe('The request is not valid')
  })

  it('lists the rejected fields for every model in validationErrors', async () => {
    const validationErrors = [
      { model: 'Payment', errors: [{ path: '$.amount' }] },
      { model: 'Order', errors: [{ description: 'has no lines' }, {}] },
    ]
    const { client } = aClient([errorResponse(422, { errorId: 'Unprocessable', validationErrors })])

    const error = await failureOf(client.payments.refund('pay_1'))

    expect(error.message).toMatch(/the service responded 422 Unprocessable: \$\.amount; has no lines/)
  })

  it('masks values from the request, email addresses and long numbers', async () => {
    const errors = [
      { path: '$.orderId', description: 'zoe@example.com paid for order-17' },
      { path: '$.metadata.4111111111111111', description: 'rejects a-key-for-tests' },
    ]
    const response = errorResponse(400, { description: 'order-17 is odd', validationErrors: [{ errors }] })
    const { client } = aClient([response])

    const error = await failureOf(client.payments.refund('pay_1', { orderId: 'order-17' }))

    expect(error.message).toContain(': […] is odd; $.orderId […] paid for […]; $.metadata.[…] rejects […]')
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/order-17|zoe|41111111|a-key/)
  })

  it.each(['-1', '$', '^a', '\\', '(', '/', '*', '[', '|'])(
    'masks the one- or two-character request value %s if it is surrounded by spaces',
    async (short) => {
      const { client } = aClient([errorResponse(422, { description: `delta ${short} is odd` })])

      const error = await failureOf(
        client.payments.create({ paymentMethodToken: 'tok_1', metadata: { delta: short } }, { maxRetries: 0 }),
      )

      expect(error).toMatchObject({ name: 'UnprocessableError', outcome: 'rejected' })
      expect(error.message).toContain('delta […] is odd')
    },
  )

  const long = 'é'.repeat(300)

  it.each([
    ['masks two characters only as a whole word', 'ab', 'cab ab abc 1.ab', 'cab […] abc 1.ab'],
    ['masks three characters inside a word', 'abc', 'xabcx', 'x[…]x'],
    ['ignores case even if lower case is longer', 'order', 'İ, Straße: ORDER is odd', 'İ, Straße: […] is odd'],
    ['masks overlapping values once', 'order-17', 'zoe@order-17.test is odd', '[…] is odd'],
    ['does not mask a boolean', true, 'true is odd', 'true is odd'],
    ['does not mask null', null, 'null is odd', 'null is odd'],
    ['ignores an empty value', '', 'a (b)', 'a (b)'],
    ['replaces control characters with one space', 'x', 'a\r\n\tb', 'a b'],
    ['quotes 300 characters', 'order-17', 'a'.repeat(300), 'a'.repeat(300)],
    ['does not mask text that it truncates', 'order-17', `${'a'.repeat(300)}order-17`, `${'a'.repeat(300)}…`],
    ['masks a long percent-encoded value', long, encodeURIComponent(long), '[…]…'],
  ])('%s', async (_, value, description, quote) => {
    const { client } = aClient([errorResponse(400, { description })])

    const error = await failureOf(client.request({ method: 'POST', path: '/reports', body: { value } }))

    expect(error.message).toBe(`request (POST /reports): the service responded 400: ${quote}`)
  })

  it.each([
    ['keeps', 'order-1', 'x-order-1-x'],
    ['omits', 'order-17', undefined],
  ])('%s a diagnosticsId that contains the request value %s', async (_, value, diagnosticsId) => {
    const { client } = aClient([errorResponse(400, { description: 'No', diagnosticsId: `x-${value}-x` })])

    const error = await failureOf(client.request({ method: 'POST', path: '/reports', body: { value } }))

    expect((error as ApiError).diagnosticsId).toBe(diagnosticsId)
  })

  it('omits an errorId, diagnosticsId or paymentId that is empty or not a string', async () => {
    const response = errorResponse(400, { errorId: '', description: 'No', diagnosticsId: 7, paymentId: '' })
    const { client } = aClient([response])

    const error = await failureOf(client.payments.get('pay_1'))

    expect(error.message).toBe('payments.get (GET /payments/:id): the service responded 400: No')
    for (const name of ['errorId', 'diagnosticsId', 'paymentId']) expect(error).not.toHaveProperty(name)
  })

  it('masks values from the query', async () => {
    const { client } = aClient([errorResponse(400, { description: 'order-17 is odd' })])

    const error = await failureOf(client.payments.list({ orderId: 'order-17' }))

    expect(error.message).toMatch(/: \[…\] is odd$/)
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['path', (client) => client.payments.capture('payment-17')],
    ['body', (client) => client.request({ method: 'POST', path: '/payouts', body: { paymentId: 'payment-17' } })],
  ])('shows a paymentId from the request’s %s, but omits a diagnosticsId that contains it', async (_, call) => {
    const { client } = aClient([
      errorResponse(409, { errorId: 'Odd', paymentId: 'payment-17', diagnosticsId: 'payment-17-b' }),
    ])

    const error = await failureOf(call(client))

    expect(error).toMatchObject({ paymentId: 'payment-17' })
    expect(error).not.toHaveProperty('diagnosticsId')
  })

  it('contains the status and errorId regardless of the JSON in validationErrors', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (anything) => {
        for (const validationErrors of [anything, [anything], [{ errors: anything }], [{ errors: [anything] }]]) {
          const { client } = aClient([errorResponse(400, { errorId: 'Odd', validationErrors })])

          const error = await failureOf(client.payments.get('pay_1'))

          expect(error).toBeInstanceOf(ApiError)
          expect(error.message).toContain('the service responded 400 Odd')
        }
      }),
    )
  })

  it.each([429, 503])('states the time to wait after a %i response', async (status) => {
    const { client } = aClient([errorResponse(status, {}, { 'retry-after': '3' })])

    const error = await failureOf(client.payments.get('pay_1'))

    expect(error).toMatchObject({ httpStatus: status, retryAfterMs: 3000 })
    expect(error.message).toBe(
      `payments.get (GET /payments/:id): the service responded ${status} (wait 3000 ms before a retry)`,
    )
  })

  it('contains the required scope after a 403 response with Retry-After', async () => {
    const { client } = aClient([errorResponse(403, {}, { 'retry-after': '1' })])

    const { message } = await failureOf(client.payments.refund('pay_1'))

    expect(message).toMatch(/\(this operation needs the scope transactions:refund; wait 1000 ms before a retry\)$/)
  })

  it('contains no scope after a 403 response if the operation requires no scope', async () => {
    const { client } = aClient([errorResponse(403)])

    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect(error).not.toHaveProperty('requiredScope')
    expect(error.message).toMatch(/the service responded 403$/)
  })
})

describe('the message of a TimeoutError during a backoff', () => {
  it.each([
    ['status', () => new Response('', { status: 503 }), '503'],
    ['error', () => errorResponse(500, { errorId: 'InternalError' }), 'InternalError'],
    ['connection error', () => Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' })), 'ECONNRESET'],
  ])('contains the last attempt’s %s', async (_, fail, ending) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999)
    onTestFinished(() => void vi.restoreAllMocks())
    const { passUntil } = stopClock()
    const earlier = () => new Response('', { status: 502 })
    const { client } = aClient([earlier, earlier, fail], { maxRetries: 3, totalTimeout: 2000 })

    const failing = failureOf(client.payments.get('pay_1'))
    await passUntil(failing)

    const error = await failing
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toMatchObject({ phase: 'backoff', timeoutMs: 2000, attempts: [{}, {}, { code: ending }] })
    expect(error.message).toBe(
      'payments.get (GET /payments/:id): the time limit of 2000 ms passed before the next retry ' +
        `(phase: backoff; the last attempt ended with ${ending})`,
    )
  })
})

describe('a TimeoutError while reading the body', () => {
  it.each([
    [200, 'accepted'],
    [300, 'unknown'],
    [404, 'rejected'],
    [503, 'unknown'],
  ])('of a %i response has the outcome %s', async (status, outcome) => {
    const { passUntil } = stopClock()
    const endless = new Response(new ReadableStream(), { status })
    const { client } = aClient([endless], { timeout: 1000 })

    const failing = failureOf(client.payments.capture('pay_1'))
    await passUntil(failing)

    expect(await failing).toMatchObject({ phase: 'body', timeoutMs: 1000, outcome, attempts: [{ status }] })
  })
})

describe('a field path in an error message', () => {
  it('masks long numbers, because a field name can contain data', async () => {
    const metadata = { '4111111111111111': true, 'card 123456': [], '12345': null } as never

    const { message, issues } = await rejectionOf((client) =>
      client.payments.create({ paymentMethodToken: 'tok_1', metadata }),
    )

    const rule = 'must be a string or an integer'
    expect(message).toBe(
      `payments.create (POST /payments): metadata.12345 ${rule}; metadata.[…] ${rule}; metadata.card […] ${rule}`,
    )
    expect(issues).toHaveLength(3)
  })
})
