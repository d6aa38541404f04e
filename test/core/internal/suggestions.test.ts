import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/core/internal/issues.js'

describe('the suggestion for an unknown name', () => {
  it('suggests another name with the same meaning if the usual name is invalid here', () => {
    expect(nearest('email', ['customerEmailAddress'])).toBe('customerEmailAddress')
    expect(nearest('statementDescriptor', ['paymentMethod'])).toBe('paymentMethod')
  })

  it.each([
    ['tax', 'amount', undefined],
    ['abcd', 'abxy', 'abxy'],
    ['abcd', 'axyz', undefined],
    ['abcdef', 'abcxyz', 'abcxyz'],
    ['abcdef', 'abwxyz', undefined],
    ['xyzab', 'ab', undefined],
  ])('suggests names that differ in at most two letters, or half of them: %s → %s', (name, known, suggestion) => {
    expect(nearest(name, [known])).toBe(suggestion)
  })

  it('suggests the name that differs in the fewest letters', () => {
    expect(nearest('timeot', ['timing', 'timeout', 'times'])).toBe('timeout')
  })
})
