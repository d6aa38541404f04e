import { describe, expect, it, vi } from 'vitest'
import {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  type CallFacts,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type ErrorResponse,
  isPaymentsError,
  NotFoundError,
  PaginationError,
  PaymentsError,
  PermissionError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  UnprocessableError,
  UnreadableResponseError,
  WaitError,
  WebhookPayloadError,
  WebhookVerificationError,
} from '../../src/errors.js'

const call: CallFacts = {
  operation: 'payments.capture',
  method: 'POST',
  path: '/payments/:id/capture',
  outcome: 'unknown',
  attempts: [{ number: 1, waitedMs: 0, durationMs: 20, status: 503, code: 'InternalError' }],
  idempotencyKey: 'key-1',
  resourceId: 'pay_1',
}
const where = 'payments.capture (POST /payments/:id/capture): '
const issues = [{ path: ['amount'], message: 'must be an integer' }]

function anAnswer(status: number, more: Partial<ErrorResponse> = {}): ErrorResponse {
  return { status, headers: new Headers({ 'x-served-by': 'node-1' }), body: { error: { errorId: 'Odd' } }, ...more }
}

/** How to make one error of each class, with its name, code and message. */
const everyClass: [make: () => PaymentsError, name: string, code: string, message: string][] = [
  [() => new ConfigurationError('no apiKey'), 'ConfigurationError', 'ERR_CONFIGURATION', 'no apiKey'],
  [
    () => new RequestValidationError(issues, call),
    'RequestValidationError',
    'ERR_REQUEST_VALIDATION',
    `${where}amount must be an integer`,
  ],
  [
    () => new ConnectionError(call, 'ECONNRESET'),
    'ConnectionError',
    'ERR_CONNECTION',
    `${where}the connection failed (ECONNRESET)`,
  ],
  [
    () => new TimeoutError(call, 'headers', 900),
    'TimeoutError',
    'ERR_TIMEOUT',
    `${where}no response within 900 ms (phase: headers)`,
  ],
  [() => new AbortedError(call, undefined), 'AbortedError', 'ERR_ABORTED', `${where}aborted by the caller`],
  [() => new ApiError(call, anAnswer(302)), 'ApiError', 'ERR_API', `${where}the service responded 302`],
  [() => new BadRequestError(call, anAnswer(400)), 'BadRequestError', 'ERR_API', `${where}the service responded 400`],
  [
    () => new AuthenticationError(call, anAnswer(401)),
    'AuthenticationError',
    'ERR_API',
    `${where}the service responded 401`,
  ],
  [() => new PermissionError(call, anAnswer(403)), 'PermissionError', 'ERR_API', `${where}the service responded 403`],
  [() => new NotFoundError(call, anAnswer(404)), 'NotFoundError', 'ERR_API', `${where}the service responded 404`],
  [() => new ConflictError(call, anAnswer(409)), 'ConflictError', 'ERR_API', `${where}the service responded 409`],
  [
    () => new UnprocessableError(call, anAnswer(422)),
    'UnprocessableError',
    'ERR_API',
    `${where}the service responded 422`,
  ],
  [() => new RateLimitError(call, anAnswer(429)), 'RateLimitError', 'ERR_API', `${where}the service responded 429`],
  [() => new ServerError(call, anAnswer(500)), 'ServerError', 'ERR_API', `${where}the service responded 500`],
  [
    () => new UnreadableResponseError(call, 200, 'empty'),
    'UnreadableResponseError',
    'ERR_UNREADABLE_RESPONSE',
    `${where}the service responded 200, but the response cannot be read (empty)`,
  ],
  [
    () => new ResponseValidationError(call, issues, {}),
    'ResponseValidationError',
    'ERR_RESPONSE_VALIDATION',
    `${where}the response violates the contract (amount must be an integer)`,
  ],
  [
    () => new PaginationError('a cursor came twice', { operation: 'payments.list' }),
    'PaginationError',
    'ERR_PAGINATION',
    'payments.list: a cursor came twice',
  ],
  [
    () => new WaitError('timeout', 'not there yet', undefined, []),
    'WaitError',
    'ERR_WAIT',
    'payments.waitFor: not there yet',
  ],
  [
    () => new WebhookVerificationError('no-match', 'no signature agrees'),
    'WebhookVerificationError',
    'ERR_WEBHOOK_VERIFICATION',
    'no signature agrees',
  ],
  [
    () => new WebhookPayloadError('the event is odd', {}, issues),
    'WebhookPayloadError',
    'ERR_WEBHOOK_PAYLOAD',
    'the event is odd (amount must be an integer)',
  ],
]

describe('every error', () => {
  it.each(everyClass)('%# says what it is, and what happened', (make, name, code, message) => {
    const error = make()

    expect(error).toMatchObject({ name, code, message })
    expect(String(error)).toBe(`${name}: ${message}`)
    expect(error).toBeInstanceOf(PaymentsError)
    expect(error).toBeInstanceOf(Error)
  })

  it('tells of its call what there is, and nothing that there is not', () => {
    const error = new ConnectionError({ ...call, idempotencyKey: undefined, advice: 'Read the payment' }, 'ECONNRESET')

    expect(error).toMatchObject({ operation: 'payments.capture', outcome: 'unknown', resourceId: 'pay_1' })
    expect(error.attempts).toEqual(call.attempts)
    expect(error).not.toHaveProperty('idempotencyKey')
    expect(error.message).toBe(`${where}the connection failed (ECONNRESET). Read the payment`)
  })

  it('names the operation alone where there was no request yet', () => {
    const error = new RequestValidationError(issues, { operation: 'payments.capture' })

    expect(error.message).toBe('payments.capture: amount must be an integer')
    expect(error.attempts).toEqual([])
  })

  it('may be about no call', () => {
    const error = new PaginationError('a cursor came twice', { operation: 'payments.list', cursor: 'page-2' })

    expect(error).toMatchObject({ attempts: [], cursor: 'page-2', operation: 'payments.list' })
    for (const name of ['outcome', 'idempotencyKey', 'resourceId']) expect(error).not.toHaveProperty(name)
    expect(new PaginationError('no items', { operation: 'payments.list' })).not.toHaveProperty('cursor')
  })

  it.each([() => new ConfigurationError('no apiKey'), () => new RequestValidationError(issues, call)])(
    'that comes before the first request says that nothing was sent: %s',
    (make) => {
      expect(make().outcome).toBe('not_sent')
    },
  )

  it('keeps the outcome of a call whose configuration failed midway', () => {
    expect(new ConfigurationError('apiKey failed', call).outcome).toBe('unknown')
  })
})

describe('isPaymentsError', () => {
  it('recognizes the errors of another copy of the package', async () => {
    vi.resetModules()
    const copy: typeof import('../../src/errors.js') = await import('../../src/errors.js')

    expect(copy.NotFoundError).not.toBe(NotFoundError)
    expect(isPaymentsError(new copy.NotFoundError(call, anAnswer(404)))).toBe(true)
    expect(isPaymentsError(new NotFoundError(call, anAnswer(404)))).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'NotFoundError'],
    ['an error of another package', new Error('no')],
    ['an error of the same name', Object.assign(new Error('no'), { name: 'NotFoundError' })],
    ['an object that is not an error', { [Symbol.for('payments-client.error')]: true, name: 'NotFoundError' }],
  ])('returns false for %s', (_, value) => {
    expect(isPaymentsError(value)).toBe(false)
  })
})

describe('a TimeoutError', () => {
  it.each(['queue', 'connect', 'headers', 'body'] as const)('says that it ran out in the phase %s', (phase) => {
    const error = new TimeoutError(call, phase, 900)

    expect(error).toMatchObject({
      phase,
      timeoutMs: 900,
      message: `${where}no response within 900 ms (phase: ${phase})`,
    })
  })

  it('says between two attempts with what the last one ended', () => {
    const attempts = ['ECONNRESET', 'ERR_TIMEOUT', 'InternalError'].map((code, index) => ({
      number: index + 1,
      waitedMs: 0,
      durationMs: 9,
      code,
    }))

    const { message } = new TimeoutError({ ...call, attempts }, 'backoff', 900)

    expect(message).toBe(
      `${where}out of time after 900 ms, before another attempt (phase: backoff; the last one ended with InternalError)`,
    )
  })

  it('says nothing of a last attempt where there was none', () => {
    const { message } = new TimeoutError({ ...call, attempts: [] }, 'backoff', 900)

    expect(message).toBe(`${where}no response within 900 ms (phase: backoff)`)
  })
})

describe('an AbortedError', () => {
  it('keeps the reason, and does not print it', () => {
    const reason = new Error('the shopper left')

    const error = new AbortedError(call, reason)

    expect(error.reason).toBe(reason)
    expect(Object.keys(error)).not.toContain('reason')
  })
})

describe('an ApiError', () => {
  it('tells what the service said', () => {
    const answer = anAnswer(422, {
      errorId: 'PaymentNotCapturable',
      description: 'it was cancelled',
      diagnosticsId: 'diag-1',
      paymentId: 'pay_1',
      validationErrors: [{ model: 'Payment' }],
      retryAfterMs: 7000,
      quote: 'it was […]',
    })

    const error = new ApiError(call, answer, 'look twice')

    expect(error).toMatchObject({
      status: 422,
      errorId: 'PaymentNotCapturable',
      diagnosticsId: 'diag-1',
      paymentId: 'pay_1',
      retryAfterMs: 7000,
      description: 'it was cancelled',
    })
    expect(error.headers.get('x-served-by')).toBe('node-1')
    expect(error.body).toBe(answer.body)
    expect(error.validationErrors).toBe(answer.validationErrors)
    expect(error.message).toBe(
      `${where}the service responded 422 PaymentNotCapturable: it was […] (look twice; it asks to wait 7000 ms)`,
    )
  })

  it('has no field for what the service did not say', () => {
    const error = new ApiError(call, anAnswer(500))

    for (const name of ['errorId', 'diagnosticsId', 'paymentId', 'retryAfterMs']) expect(error).not.toHaveProperty(name)
    expect([error.description, error.validationErrors]).toEqual([undefined, undefined])
  })

  it.each(['', 'two words', 'odd!', ' Odd', 'Odd ', 'x'.repeat(101)])(
    'does not print an errorId that is no name: %j',
    (errorId) => {
      expect(new ApiError(call, anAnswer(400, { errorId })).message).toBe(`${where}the service responded 400`)
    },
  )

  it('names the scope that is missing, where it is known', () => {
    const error = new PermissionError(call, anAnswer(403), 'transactions:capture')

    expect(error.requiredScope).toBe('transactions:capture')
    expect(error.message).toBe(
      `${where}the service responded 403 (this operation needs the scope transactions:capture)`,
    )
    expect(new PermissionError(call, anAnswer(403))).not.toHaveProperty('requiredScope')
  })
})

describe('errors that keep what they are about', () => {
  it('an answer that breaks the contract is there as it came', () => {
    const data = { id: 5 }

    const error = new ResponseValidationError(call, issues, data)

    expect(error.data).toBe(data)
    expect(error.issues).toBe(issues)
  })

  it('a payment that was waited for in vain is there as it was last', () => {
    const payment = { id: 'pay_1', status: 'DECLINED' }

    const error = new WaitError('impossible', 'it was declined', payment, ['PENDING', 'DECLINED'])

    expect(error).toMatchObject({ reason: 'impossible', lastPayment: payment, history: ['PENDING', 'DECLINED'] })
  })

  it('the payload of a webhook is there, whether JSON or not', () => {
    const error = new WebhookPayloadError('The body is not JSON', '{')

    expect(error).toMatchObject({ payload: '{', issues: [], message: 'The body is not JSON' })
  })

  it('a refused webhook says why', () => {
    expect(new WebhookVerificationError('too-old', 'more than 300 seconds old').reason).toBe('too-old')
  })
})

describe('the issues in a message', () => {
  const messageOf = (...paths: (string | number)[][]) =>
    new RequestValidationError(paths.map((path) => ({ path, message: 'is odd' }))).message

  it('say where each is', () => {
    expect(messageOf(['order', 'lineItems', 0, 'amount'])).toBe('order.lineItems[0].amount is odd')
    expect(messageOf([0, 'id'])).toBe('[0].id is odd')
    expect(messageOf([])).toBe('the value is odd')
  })

  it('are five at most, and the number of the others', () => {
    expect(messageOf(['a'], ['b'], ['c'], ['d'], ['e'])).toBe('a is odd; b is odd; c is odd; d is odd; e is odd')
    expect(messageOf(['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g'])).toBe(
      'a is odd; b is odd; c is odd; d is odd; e is odd; and 2 more',
    )
  })

  it('show no run of six digits or more', () => {
    expect(messageOf(['metadata', 'card 123456'], ['metadata', '12345'])).toBe(
      'metadata.card […] is odd; metadata.12345 is odd',
    )
  })
})

describe('PaymentsError', () => {
  it('is the name of what has no other', () => {
    class Surprise extends PaymentsError {
      readonly code = 'ERR_SURPRISE'
    }

    expect(new Surprise('oh').name).toBe('PaymentsError')
  })
})
