import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../src/sandbox/clock.js'
import { assertMove, moves } from '../../src/sandbox/domain/lifecycle.js'
import { Payments } from '../../src/sandbox/domain/payments.js'
import { PaymentTable } from '../../src/sandbox/store/payment-table.js'
import type { PaymentRecord } from '../../src/sandbox/store/records.js'
import { Events } from '../../src/sandbox/webhooks/events.js'

describe('the table of moves', () => {
  it('lets nothing move a payment out of a final state, except further captures and refunds of a settled one', () => {
    const out = Object.entries(moves).filter(([, { from }]) =>
      from.some((status) => ['SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'].includes(status)),
    )

    expect(out.map(([name]) => name)).toEqual(['payments.capture', 'payments.refund'])
  })

  it('catches a move that is not in it', () => {
    const clock = new VirtualClock()
    const payments = new Payments(new PaymentTable(), clock, new Events(clock, () => {}), 0)
    const move = () => payments.move({} as PaymentRecord, 'payments.cancel', 'SETTLED')

    expect(move).toThrow('payments.cancel cannot lead to SETTLED')
    expect(() => assertMove('payments.cancel', 'CANCELLED')).not.toThrow()
  })
})
