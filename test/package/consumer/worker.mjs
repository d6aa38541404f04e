import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { PaymentSchema } from 'payments-client/schemas'
import { sign, signAsync, verify, verifyAsync } from 'payments-client/webhooks'
import { print, takePayment } from './payment-flow.mjs'

export default {
  /** The function that `workerd test` calls. */
  async test(_controller, { NODE_MODULES }) {
    const signing = NODE_MODULES ? { sign, verify } : { sign: signAsync, verify: verifyAsync }
    print(await takePayment({ PaymentsClient, createSandbox, PaymentSchema, ...signing }))
  },
}
