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

  it('masks the API key, emails and long numbers in the service’s description', async () => {
    const errors = [
      { path: '$.orderId', description: 'zoe@example.com paid for order-17' },
      { path: '$.metadata.4111111111111111', description: 'rejects a-key-for-tests' },
    ]
    const response = errorResponse(400, { description: 'order-17 is odd', validationErrors: [{ errors }] })
    const { client } = aClient([response])

    const error = await failureOf(client.payments.refund('pay_1', { orderId: 'order-17' }))

    expect(error.message).toContain(': order-17 is odd; $.orderId […] paid for order-17; $.metadata.[…] rejects […]')
    expect((error as ApiError).description).toBe('order-17 is odd')
  })

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['the path', ({ paymentInstruments }) => paymentInstruments.delete('a secret')],
    ['the path of client.request', (client) => client.request({ method: 'GET', path: '/tokens/a%20secret' })],
    ['the query', ({ clientSessions }) => clientSessions.get('a secret')],
    ['the body', ({ payments }) => payments.resume('pay_1', { resumeToken: 'a secret' })],
    ['a nested field', ({ payments }) => payments.create({ paymentMethodToken: 't', metadata: { token: 'a secret' } })],
    ['a header of the caller', ({ payments }) => payments.get('pay_1', { headers: { authorization: 'a secret' } })],
  ])('masks a token in %s, also in percent-encoded form', async (_, call) => {
    const { client } = aClient([errorResponse(400, { description: '(a secret) or (a%20secret) is odd' })])

    expect((await failureOf(call(client))).message).toContain(': ([…]) or ([…]) is odd')
  })

  const long = 'é'.repeat(300)

  it.each([
    ['masks the longer of two tokens', ['abcd', 'abcdefgh'], 'abcdefgh is odd', '[…] is odd'],
    ['does not mask a token of three characters', 'abc', 'abc is odd', 'abc is odd'],
    ['replaces a run of control characters with one space', 'x', 'a\r\n\tb', 'a b'],
    ['quotes a description of 300 characters in full', 'order-17', 'a'.repeat(300), 'a'.repeat(300)],
    [
      'truncates a secret after 300 characters instead of masking it',
      'order-17',
      `${'a'.repeat(300)}order-17`,
      `${'a'.repeat(300)}…`,
    ],
    [
      'quotes only the first 300 characters of a description',
      'order-17',
      `${'order-17'.repeat(37)}abcdefgh`,
      `${'[…]'.repeat(37)}abcd…`,
    ],
    ['masks a long percent-encoded token', long, encodeURIComponent(long), '[…]…'],
  ])('%s', async (_, token, description, quote) => {
    const { client } = aClient([errorResponse(400, { description })])
    const body = { tokens: [token].flat().map((value) => ({ token: value })) }

    const error = await failureOf(client.request({ method: 'POST', path: '/reports', body }))

    expect(error.message).toBe(`request (POST /reports): the service responded 400: ${quote}`)
  })

  it.each([
    ['keeps', 'token-1', 'x-token-1-x'],
    ['omits', 'token-17', undefined],
  ])('%s a diagnosticsId that contains the token %s', async (_, token, diagnosticsId) => {
    const { client } = aClient([errorResponse(400, { description: 'No', diagnosticsId: `x-${token}-x` })])

    const error = await failureOf(client.request({ method: 'POST', path: '/reports', body: { token } }))

    expect((error as ApiError).diagnosticsId).toBe(diagnosticsId)
  })

  it('omits an errorId, diagnosticsId or paymentId that is empty or not a string', async () => {
    const response = errorResponse(400, { errorId: '', description: 'No', diagnosticsId: 7, paymentId: '' })
    const { client } = aClient([response])

    const error = await failureOf(client.payments.get('pay_1'))

    expect(error.message).toBe('payments.get (GET /payments/:id): the service responded 400: No')
    for (const name of ['errorId', 'diagnosticsId', 'paymentId']) expect(error).not.toHaveProperty(name)
  })

  it('shows the paymentId of the path, but omits a diagnosticsId that contains it', async () => {
    const { client } = aClient([
      errorResponse(409, { errorId: 'Odd', paymentId: 'payment-17', diagnosticsId: 'payment-17-b' }),
    ])

    const error = await failureOf(client.request({ method: 'POST', path: '/payments/payment-17/capture' }))

    expect(error).toMatchObject({ paymentId: 'payment-17' })
    expect(error).not.toHaveProperty('diagnosticsId')
  })

  it('includes the status and errorId even if validationErrors has an unknown format', async () => {
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

  it.each([429, 503])('states how long to wait after a %i response', async (status) => {
    const { client } = aClient([errorResponse(status, {}, { 'retry-after': '3' })])

    const error = await failureOf(client.payments.get('pay_1'))

    expect(error).toMatchObject({ httpStatus: status, retryAfterMs: 3000 })
    expect(error.message).toBe(
      `payments.get (GET /payments/:id): the service responded ${status} (wait 3000 ms before a retry)`,
    )
  })

  it('includes the required scope after a 403 response with Retry-After', async () => {
    const { client } = aClient([errorResponse(403, {}, { 'retry-after': '1' })])

    const { message } = await failureOf(client.payments.refund('pay_1'))

    expect(message).toMatch(/\(this operation needs the scope transactions:refund; wait 1000 ms before a retry\)$/)
  })

  it('mentions no scope after a 403 response if the operation requires none', async () => {
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
  ])('includes the last attempt’s %s in the message of a TimeoutError', async (_, fail, ending) => {
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

describe('a timeout while reading the body', () => {
  it.each([
    [200, 'accepted'],
    [300, 'unknown'],
    [404, 'rejected'],
    [503, 'unknown'],
  ])('reports a timeout in the body of a %i response with the outcome %s', async (status, outcome) => {
    const { passUntil } = stopClock()
    const endless = new Response(new ReadableStream(), { status })
    const { client } = aClient([endless], { timeout: 1000 })

    const failing = failureOf(client.payments.capture('pay_1'))
    await passUntil(failing)

    expect(await failing).toMatchObject({ phase: 'body', timeoutMs: 1000, outcome, attempts: [{ status }] })
  })
})

describe('a field path in an error message', () => {
  it('masks long numbers in field paths, because field names can contain data', async () => {
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
