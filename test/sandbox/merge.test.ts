import { describe, expect, it } from 'vitest'
import { merged, withoutEmpty, withoutNulls } from '../../src/sandbox/domain/merge.js'

describe('merged', () => {
  it.each([
    [undefined, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    [{ a: { b: 1 } }, { a: 2 }, { a: 2 }],
    [{ a: { b: 1 } }, { a: null }, { a: null }],
    [{ a: { b: 1 } }, { a: [2] }, { a: [2] }],
    [{ a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: null }, { a: { b: 2 } }, { a: { b: 2 } }],
  ])('takes %j and %j for %j', (older, newer, expected) => {
    expect(merged<object>(older, newer)).toStrictEqual(expected)
  })

  it('leaves what it was given as it is', () => {
    const older = { a: { b: 1 } }

    merged<object>(older, { a: { b: 2 } })

    expect(older).toEqual({ a: { b: 1 } })
  })
})

describe('withoutNulls', () => {
  it.each([
    [{ a: null, b: { c: null, d: 1 } }, { b: { d: 1 } }],
    [
      { a: undefined, b: '', c: 0 },
      { a: undefined, b: '', c: 0 },
    ],
    [[null], [null]],
    [null, null],
    ['text', 'text'],
  ])('makes %j into %j', (value, expected) => {
    expect(withoutNulls<unknown>(value)).toStrictEqual(expected)
  })
})

describe('withoutEmpty', () => {
  it.each([
    [{ a: '', b: [], c: {}, d: undefined }, {}],
    [{ a: { b: { c: '' } } }, {}],
    [{ a: { b: undefined } }, {}],
    [
      { a: 0, b: false, c: ' ', d: [''] },
      { a: 0, b: false, c: ' ', d: [''] },
    ],
  ])('makes %j into %j', (value, expected) => {
    expect(withoutEmpty<object>(value)).toStrictEqual(expected)
  })
})
