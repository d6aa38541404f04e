import { describe, expect, it } from 'vitest'
import type { CallFacts, ErrorResponse, TimeoutPhase } from '../../src/errors.js'
import { Interrupted } from '../../src/internal/deadline.js'
import {
  disconnected,
  interrupted,
  keyWasUsed,
  rejected,
  unreadable,
  violation,
  withoutApiKey,
} from '../../src/transport/failure.js'
import { markUnconnected } from '../../src/transport/http/connection-error.js'

const call: CallFacts = {
  operation: 'payments.capture',
  method: 'POST',
  path: '/payments/:id/capture',
  outcome: 'unknown',
  attempts: [],
}

function anAnswer(status: number, errorId?: string): ErrorResponse {
  return { status, headers: new Headers(), body: undefined, errorId }
}

/** How a failed fetch is understood. */
const overFetch = (error: unknown) => disconnected(markUnconnected(error), 'headers')

const failing = (facts: object) => Object.assign(new Error('broken'), facts)

describe('an answer that is no success', () => {
  it.each([
    [199, 'unknown', 'never'],
    [299, 'unknown', 'never'],
    [300, 'rejected', 'never'],
    [399, 'rejected', 'never'],
    [400, 'rejected', 'never'],
    [407, 'rejected', 'never'],
    [408, 'rejected', 'if-repeatable'],
    [429, 'rejected', 'always'],
    [499, 'rejected', 'never'],
    [500, 'unknown', 'if-repeatable'],
    [503, 'unknown', 'if-repeatable'],
  ])('of %i to a GET means %s, and another attempt is made %s', (status, outcome, repeat) => {
    expect(rejected(anAnswer(status), 'GET', undefined)).toMatchObject({ outcome, retry: repeat, status })
  })

  it.each([
    [300, 'unknown'],
    [302, 'unknown'],
    [399, 'unknown'],
    [400, 'rejected'],
    [408, 'unknown'],
  ])('of %i to a POST means %s: who follows a redirect does not know what was done', (status, outcome) => {
    expect(rejected(anAnswer(status), 'POST', undefined)).toMatchObject({ outcome })
  })

  it.each([
    [302, 'ApiError'],
    [400, 'BadRequestError'],
    [401, 'AuthenticationError'],
    [403, 'PermissionError'],
    [404, 'NotFoundError'],
    [409, 'ConflictError'],
    [410, 'ApiError'],
    [422, 'UnprocessableError'],
    [429, 'RateLimitError'],
    [499, 'ApiError'],
    [500, 'ServerError'],
    [599, 'ServerError'],
  ])('of %i is a %s', (status, name) => {
    const error = rejected(anAnswer(status), 'POST', 'transactions:capture').toError(call)

    expect(error).toMatchObject({ name, status, operation: 'payments.capture' })
    if (status === 403) expect(error).toMatchObject({ requiredScope: 'transactions:capture' })
  })

  it.each([
    ['PaymentNotFound', 'PaymentNotFound'],
    ['payment-not_found.v2', 'payment-not_found.v2'],
    [`A${'b'.repeat(99)}`, `A${'b'.repeat(99)}`],
    [undefined, '404'],
    ['', '404'],
    ['two words', '404'],
    ['Odd!', '404'],
    ['!Odd', '404'],
    ['4Odd', '404'],
    ['Card411111', '404'],
    [`A${'b'.repeat(100)}`, '404'],
  ])('with the errorId %j is noted as %s', (errorId, code) => {
    expect(rejected(anAnswer(404, errorId), 'GET', undefined).code).toBe(code)
  })
})

describe('an idempotency key', () => {
  it.each([
    [409, 'IdempotencyKeyAlreadyExists', true],
    [400, 'PaymentIdempotencyKeyAlreadyExists', true],
    [409, 'paymentidempotencykeyalreadyexists', true],
    [409, 'IdempotencyKeyAlreadyExistsNot', false],
    [409, undefined, false],
    [422, 'IdempotencyKeyAlreadyExists', false],
  ])('was used before, says %i %s: %s', (status, errorId, expected) => {
    expect(keyWasUsed(rejected(anAnswer(status, errorId), 'POST', undefined))).toBe(expected)
  })

  it('was not used where nothing was answered', () => {
    expect(keyWasUsed(disconnected(failing({ code: 'ECONNRESET' }), 'headers'))).toBe(false)
  })
})

describe('time that ran out', () => {
  const timeout = new Interrupted({ kind: 'timeout', timeoutMs: 900 })

  it.each<[TimeoutPhase, number | undefined, string, string]>([
    ['queue', undefined, 'not_sent', 'never'],
    ['connect', undefined, 'not_sent', 'always'],
    ['headers', undefined, 'unknown', 'if-repeatable'],
    ['backoff', undefined, 'unknown', 'if-repeatable'],
    ['body', 199, 'unknown', 'if-repeatable'],
    ['body', 200, 'accepted', 'if-repeatable'],
    ['body', 299, 'accepted', 'if-repeatable'],
    ['body', 300, 'unknown', 'if-repeatable'],
    ['body', 399, 'unknown', 'if-repeatable'],
    ['body', 400, 'rejected', 'never'],
    ['body', 408, 'unknown', 'if-repeatable'],
    ['body', 429, 'rejected', 'always'],
    ['body', 499, 'rejected', 'never'],
    ['body', 500, 'unknown', 'if-repeatable'],
  ])(
    'in the phase %s, after the status %s, means %s, and another attempt is made %s',
    (phase, status, outcome, repeat) => {
      const failure = interrupted(timeout, phase, 'POST', status)

      expect(failure).toMatchObject({ outcome, retry: repeat, code: 'ERR_TIMEOUT', status })
      expect(failure.toError(call)).toMatchObject({ name: 'TimeoutError', phase, timeoutMs: 900 })
    },
  )

  it.each<[TimeoutPhase, number | undefined, string]>([
    ['queue', undefined, 'not_sent'],
    ['connect', undefined, 'not_sent'],
    ['headers', undefined, 'unknown'],
    ['body', 200, 'accepted'],
    ['body', 404, 'rejected'],
  ])('is like a caller who left, after whom nothing is repeated: %s, %s means %s', (phase, status, outcome) => {
    const reason = new Error('left')

    const failure = interrupted(new Interrupted({ kind: 'abort', reason }), phase, 'POST', status)

    expect(failure).toMatchObject({ outcome, retry: 'never', code: 'ERR_ABORTED', status })
    expect(failure.toError(call)).toMatchObject({ name: 'AbortedError', reason })
  })
})

describe('an answer of 2xx that cannot be used', () => {
  it.each([
    ['truncated', 'if-repeatable'],
    ['empty', 'if-repeatable'],
    ['not-json', 'if-repeatable'],
    ['too-large', 'never'],
    ['too-deep', 'never'],
    ['not-utf-8', 'never'],
    ['unknown-encoding', 'never'],
  ] as const)('since it is %s is fetched again %s', (reason, repeat) => {
    const failure = unreadable(201, 'POST', reason)

    expect(failure).toMatchObject({ outcome: 'accepted', retry: repeat, status: 201, code: 'ERR_UNREADABLE_RESPONSE' })
    expect(failure.toError(call)).toMatchObject({ name: 'UnreadableResponseError', status: 201, reason })
  })

  it('since it breaks the contract is never fetched again', () => {
    const issues = [{ path: ['amount'], message: 'must be an integer' }]

    const failure = violation(200, issues, { amount: 'much' })

    expect(failure).toMatchObject({
      outcome: 'accepted',
      retry: 'never',
      status: 200,
      code: 'ERR_RESPONSE_VALIDATION',
    })
    expect(failure.toError(call)).toMatchObject({ name: 'ResponseValidationError', issues, data: { amount: 'much' } })
  })
})

describe('a key that could not be had', () => {
  it('means that nothing was sent', () => {
    const failure = withoutApiKey('The apiKey function failed')

    expect(failure).toMatchObject({ outcome: 'not_sent', retry: 'never', code: 'ERR_CONFIGURATION' })
    expect(failure.toError(call)).toMatchObject({ name: 'ConfigurationError', operation: 'payments.capture' })
    expect(failure.toError(call).message).toMatch(/The apiKey function failed$/)
  })
})

describe('a connection that failed', () => {
  it.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'UND_ERR_CONNECT_TIMEOUT',
    'ConnectionRefused',
    'FailedToOpenSocket',
  ])('with %s never carried a byte: another attempt is free', (code) => {
    const failure = overFetch(failing({ code }))

    expect(failure).toMatchObject({ outcome: 'not_sent', retry: 'always', code })
    expect(failure.toError(call)).toMatchObject({ name: 'ConnectionError', reason: code })
  })

  it.each([
    ['connect', 'ECONNRESET'],
    ['getaddrinfo', 'EAI_FAIL'],
    ['connect', 'EHOSTUNREACH'],
  ])('in the call %s never carried a byte', (syscall, code) => {
    expect(overFetch(failing({ code, syscall }))).toMatchObject({ outcome: 'not_sent', retry: 'always' })
  })

  it.each(['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'UNABLE_TO_GET_ISSUER_CERT'])(
    'with %s was refused in the handshake: another attempt would meet the same',
    (code) => {
      expect(overFetch(failing({ code }))).toMatchObject({ outcome: 'not_sent', retry: 'never', code })
    },
  )

  it.each(['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'HOSTNAME_MISMATCH', 'INVALID_CA'])(
    'with %s was refused in the handshake too',
    (code) => {
      expect(overFetch(failing({ code }))).toMatchObject({ outcome: 'not_sent', retry: 'never', code })
    },
  )

  it.each([
    'ECONNRESET',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_TLS_HANDSHAKE_TIMEOUT',
    'UND_ERR_SOCKET',
    'EPROTO',
    'MY_CERT_STORE',
    'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  ])('with %s may have carried the request', (code) => {
    expect(overFetch(failing({ code, syscall: 'read' }))).toMatchObject({
      outcome: 'unknown',
      retry: 'if-repeatable',
      code,
    })
  })

  it.each(['queue', 'connect'] as const)('in the phase %s carried nothing, whatever its code', (phase) => {
    expect(disconnected(failing({ code: 'ECONNRESET' }), phase)).toMatchObject({
      outcome: 'not_sent',
      retry: 'always',
    })
    expect(disconnected(failing({ code: 'EPROTO' }), phase)).toMatchObject({ outcome: 'not_sent', retry: 'never' })
    for (const code of ['EPROTONOSUPPORT', 'MY_EPROTO', 'MY_ERR_SSL_']) {
      expect(disconnected(failing({ code }), phase)).toMatchObject({ outcome: 'not_sent', retry: 'always' })
    }
  })

  it.each([
    ['its cause', failing({ cause: failing({ code: 'ECONNREFUSED' }) })],
    ['several', failing({ errors: [failing({ code: 'ECONNREFUSED' }), failing({ code: 'ENOTFOUND' })] })],
    ['the cause of its cause', failing({ cause: { cause: { code: 'ECONNREFUSED' } } })],
  ])('is known by the code of %s', (_what, error) => {
    expect(overFetch(error)).toMatchObject({ outcome: 'not_sent', code: 'ECONNREFUSED' })
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ECONNREFUSED'],
    ['an error without a code', failing({})],
    ['a code that is no text', failing({ code: 7 })],
    ['a code in a list', failing({ code: ['EPIPE'] })],
    ['a code in small letters', failing({ code: 'refused' })],
    ['a code of one letter', failing({ code: 'E' })],
    ['a code that is a sentence', failing({ code: 'E of key-1' })],
    ['a code behind something else', failing({ code: ' EPIPE' })],
    ['a code that has no end', failing({ code: 'E'.repeat(61) })],
    ['several errors, but none in the list', failing({ errors: [] })],
  ])('has no code that can be told: %s', (_what, error) => {
    expect(disconnected(error, 'headers')).toMatchObject({ outcome: 'unknown', code: 'ERR_NETWORK' })
  })

  it('takes the first code that can be told, down the chain', () => {
    const error = failing({ code: 'no code', cause: failing({ code: 'EPIPE', cause: { code: 'ECONNRESET' } }) })

    expect(disconnected(error, 'headers').code).toBe('EPIPE')
    expect(disconnected(failing({ code: `E${'X'.repeat(59)}` }), 'headers').code).toBe(`E${'X'.repeat(59)}`)
  })

  it('looks at eight causes, and no further: a chain may be a circle', () => {
    const chainOf = (length: number) => {
      let error: object = { code: 'ECONNREFUSED' }
      for (let index = 1; index < length; index++) error = { cause: error }
      return error
    }
    const circle: { cause?: unknown } = {}
    circle.cause = circle

    expect(disconnected(chainOf(8), 'headers').code).toBe('ECONNREFUSED')
    expect(disconnected(chainOf(9), 'headers').code).toBe('ERR_NETWORK')
    expect(disconnected(circle, 'headers').code).toBe('ERR_NETWORK')
  })
})
