import { describe, expect, it } from 'vitest'
import { redact, valuesOf } from '../../src/transport/redact.js'
import { hasErrorEnvelope, readErrorResponse } from '../../src/transport/response.js'

describe('a quoted text', () => {
  it.each([
    ['a value wherever it stands', 'for order-17, not order-17b', ['order-17'], 'for […], not […]b'],
    ['the longer value first', 'order-17-b', ['order', 'order-17'], '[…]-b'],
    ['a value of three letters inside a word', 'xabcx', ['abc'], 'x[…]x'],
    ['a short value that stands alone', 'DE is odd (DE)', ['DE'], '[…] is odd ([…])'],
    ['no short value inside a word', 'ODE to DEcember, 1.DE DE.1', ['DE'], 'ODE to DEcember, 1.DE DE.1'],
    ['no number inside another', 'HTTP/1.1 and 12', ['1'], 'HTTP/1.1 and 12'],
    ['a number that stands alone', 'only 1 left', ['1'], 'only […] left'],
    ['no short value inside a word of other letters', 'déé ß1', ['é', '1'], 'déé ß1'],
    ['an address', 'to zoe@example.com!', [], 'to […]'],
    ['an address between brackets and quotes', '<zoe@example.com> "a@b" \'c@d\'', [], '<[…]> "[…]" \'[…]\''],
    ['a number of six digits', '123456, 12345', [], '[…], 12345'],
    ['a number of digits in groups', '4111 1111 1111-1111', [], '[…]'],
    ['control characters, as one blank', 'a\u0000\r\n\u001f\u007fb', [], 'a b'],
    ['nothing else', 'the amount is odd', [], 'the amount is odd'],
  ])('has masked %s', (_what, text, sent, expected) => {
    expect(redact(text, sent)).toBe(expected)
  })

  it.each([...'.*-+?()[]{}|/^$\\'])('has masked a value that means something in patterns: %s', (sign) => {
    expect(redact(`a ${sign} b`, [sign])).toBe('a […] b')
    expect(redact(`a ${sign}1 b`, [`${sign}1`])).toBe('a […] b')
  })

  it('is cut behind 300 characters', () => {
    expect(redact('x'.repeat(300), [])).toBe('x'.repeat(300))
    expect(redact('x'.repeat(301), [])).toBe(`${'x'.repeat(300)}…`)
  })

  it('leaves the list of values as it was', () => {
    const sent = ['b', 'long value']

    redact('b', sent)

    expect(sent).toEqual(['b', 'long value'])
  })
})

describe('the values of what was sent', () => {
  it('are its texts and numbers, however deep, each once', () => {
    const body = { a: 'one', b: [2, { c: 'three' }], d: null, e: undefined, f: true, g: 'one', h: '' }

    expect(valuesOf({ 'x-api-key': 'key-1' }, body, ['query']).sort()).toEqual(['2', 'key-1', 'one', 'query', 'three'])
  })

  it('are found in a circle too', () => {
    const circle: Record<string, unknown> = { name: 'one' }
    circle['self'] = circle

    expect(valuesOf(circle)).toEqual(['one'])
  })
})

describe('an error envelope', () => {
  it.each([
    [{ error: { errorId: 'Odd' } }, true],
    [{ error: { description: 'it is odd' } }, true],
    [{ error: { errorId: 5, description: 'it is odd' } }, true],
    [{ error: { errorId: 5 } }, false],
    [{ error: {} }, false],
    [{ error: 'odd' }, false],
    [{ error: null }, false],
    [{ error: ['odd'] }, false],
    [{}, false],
    [[], false],
    ['odd', false],
    [null, false],
    [undefined, false],
  ])('is told from other bodies: %j, %s', (body, expected) => {
    expect(hasErrorEnvelope(body)).toBe(expected)
  })
})

describe('what a refusal says', () => {
  const refusalOf = (body: unknown, sent: string[] = [], paymentIds: unknown[] = [], headers = {}) =>
    readErrorResponse(
      { status: 422, headers: new Headers(headers), read: () => Promise.reject(new Error('it was read')) },
      body,
      sent,
      paymentIds,
    )

  it('is in its envelope, its status and its headers', () => {
    const error = {
      errorId: 'NotCapturable',
      description: 'it was cancelled',
      diagnosticsId: 'diag-1',
      paymentId: 'pay_1',
      validationErrors: [{ model: 'Payment', errors: [{ path: '$.amount', description: 'is odd' }] }],
    }

    const { headers, ...said } = refusalOf({ error }, [], [], { 'retry-after': '7', 'x-served-by': 'node-1' })

    expect(headers.get('x-served-by')).toBe('node-1')
    expect(said).toEqual({
      ...error,
      status: 422,
      body: { error },
      retryAfterMs: 7_000,
      quote: 'it was cancelled; $.amount is odd',
    })
  })

  it.each(['<html>', undefined, { message: 'odd' }, []])('is nothing where there is no envelope: %j', (body) => {
    expect(refusalOf(body)).toMatchObject({ body, errorId: undefined, description: undefined, quote: undefined })
  })

  it('is no text where it is empty or none', () => {
    const error = { errorId: 'Odd', description: '', diagnosticsId: 5, paymentId: null, validationErrors: 'many' }

    const said = refusalOf({ error })

    expect(said.errorId).toBe('Odd')
    for (const name of ['description', 'diagnosticsId', 'paymentId', 'validationErrors', 'quote'] as const) {
      expect(said[name]).toBeUndefined()
    }
  })

  it('is told field by field, with as much as there is', () => {
    const validationErrors = [
      { errors: [{ path: '$.a', description: 'is odd' }, { path: '$.b' }, { description: 'c is odd' }, {}, null] },
      { errors: 'odd' },
      null,
      { errors: [{ path: '$.d', description: 5 }] },
    ]

    expect(refusalOf({ error: { errorId: 'Odd', validationErrors } }).quote).toBe('$.a is odd; $.b; c is odd; ; ; $.d')
  })

  it('has no name that repeats eight characters of what was sent', () => {
    const sent = ['short-1', 'eight-88']
    const error = { errorId: 'Odd.short-1', diagnosticsId: 'x-eight-88-y', paymentId: 'eight-88' }

    expect(refusalOf({ error }, sent)).toMatchObject({
      errorId: 'Odd.short-1',
      diagnosticsId: undefined,
      paymentId: undefined,
    })
    expect(refusalOf({ error }, sent, ['eight-88'])).toMatchObject({ diagnosticsId: undefined, paymentId: 'eight-88' })
  })

  it('is quoted with everything masked that was sent, and kept as it came', () => {
    const said = refusalOf({ error: { description: 'order-17 is odd' } }, ['order-17'])

    expect(said).toMatchObject({ description: 'order-17 is odd', quote: '[…] is odd' })
  })
})
