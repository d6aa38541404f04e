import { describe, expect, it } from 'vitest'
import { rows } from './rows.js'
import { readTests } from './tests.js'

describe('the conformance suite', () => {
  const named = Object.values(rows).flatMap((sentences) => Object.keys(sentences))
  const written = readTests().map(({ id }) => id)

  it('shows every sentence by a test', () => {
    expect(named.filter((id) => !written.includes(id))).toEqual([])
  })

  it('has no test without a sentence', () => {
    expect(written.filter((id) => !named.includes(id))).toEqual([])
  })

  it('gives each test an id of its own', () => {
    expect(written.filter((id, index) => written.indexOf(id) !== index)).toEqual([])
  })
})
