import { describe, expect, it } from 'vitest'
import { rows } from './rows.js'
import { readTests } from './tests.js'

describe('the conformance suite', () => {
  const named = Object.values(rows).flatMap((sentences) => Object.keys(sentences))
  const written = readTests().map(({ id }) => id)

  it('tests every statement of the specification', () => {
    expect(named.filter((id) => !written.includes(id))).toEqual([])
  })

  it('contains only tests that belong to a statement', () => {
    expect(written.filter((id) => !named.includes(id))).toEqual([])
  })

  it('uses each id only once', () => {
    expect(written.filter((id, index) => written.indexOf(id) !== index)).toEqual([])
  })
})
