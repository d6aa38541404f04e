import { PaymentsClient } from '../client.js'
import { defineCommand, required } from './command.js'

/** `payments-client payments get <id>` */
export const paymentsGet = defineCommand({
  summary: 'Print a payment as JSON',
  operands: ['<id>'],
  options: {},
  notes: 'The environment says where and who: PAYMENTS_BASE_URL, PAYMENTS_API_KEY.',
  async run({ operands: [id = ''] }, terminal) {
    const client = new PaymentsClient({
      apiKey: required(terminal, 'PAYMENTS_API_KEY'),
      baseUrl: required(terminal, 'PAYMENTS_BASE_URL'),
    })
    const payment = await client.payments.get(id, { signal: terminal.interrupted })
    terminal.print(JSON.stringify(payment))
    return 0
  },
})
