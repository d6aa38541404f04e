import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/core/internal/issues.js'

describe('the suggestion for an unknown name', () => {
  it('is another name with the same meaning if the most common name is not valid here', () => {
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
  ])('differs in at most two letters, or in half of its letters: %s → %s', (name, known, suggestion) => {
    expect(nearest(name, [known])).toBe(suggestion)
  })

  it('is the name that differs in the fewest letters', () => {
    expect(nearest('timeot', ['timing', 'timeout', 'times'])).toBe('timeout')
  })
})
