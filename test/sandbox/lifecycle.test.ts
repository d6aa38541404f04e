import { describe, expect, it } from 'vitest'
import { assertMove, moves } from '../../src/sandbox/domain/lifecycle.js'

describe('the table of moves', () => {
  it('lets nothing move a payment out of a final state, except further captures and refunds of a settled one', () => {
    const out = Object.entries(moves).filter(([, { from }]) =>
      from.some((status) => ['SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'].includes(status)),
    )

    expect(out.map(([name]) => name)).toEqual(['payments.capture', 'payments.refund'])
  })

  it('catches a move that is not in it', () => {
    expect(() => assertMove('payments.cancel', 'SETTLED')).toThrow('payments.cancel cannot lead to SETTLED')
  })
})
