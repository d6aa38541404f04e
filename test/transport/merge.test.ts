import { describe, expect, it } from 'vitest'
import { mergeChanges } from '../../src/transport/request.js'

describe('changes laid over what was there', () => {
  it.each<[string, object, object, object]>([
    ['keep the fields beside a changed one', { a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
    ['keep them however deep', { a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 3 } } }, { a: { b: { c: 3, d: 2 } } }],
    ['name only what is changed', { a: { b: 1 }, z: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ['leave a field that is undefined', { a: { b: 1, c: 2 } }, { a: { b: undefined, c: 3 } }, { a: { b: 1, c: 3 } }],
    ['do not name a field that is undefined', { a: 1 }, { a: undefined }, {}],
    [
      'clear a field with null, at the top and below',
      { a: { b: 1 }, c: 1 },
      { a: { b: null }, c: null },
      { a: { b: null }, c: null },
    ],
    ['begin anew where null was', { a: null }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['begin anew where nothing was', {}, { a: { b: 1 } }, { a: { b: 1 } }],
    ['begin anew where a text was', { a: 'text' }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['replace a list as a whole', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    [
      'replace an object by a list, and a list by an object',
      { a: { b: 1 }, c: [1] },
      { a: [1], c: { b: 1 } },
      { a: [1], c: { b: 1 } },
    ],
  ])('%s', (_what, current, changes, expected) => {
    expect(mergeChanges(current, changes)).toStrictEqual(expected)
  })

  it('change neither', () => {
    const [current, changes] = [{ a: { b: 1 } }, { a: { c: 2 } }]

    mergeChanges(current, changes)

    expect([current, changes]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }])
  })
})
