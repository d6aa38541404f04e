import { clientOf } from './client.js'
import { defineCommand } from './command.js'

/** `payments-client payments get <id>` */
export const paymentsGet = defineCommand({
  summary: 'Print a payment as JSON',
  operands: ['<id>'],
  options: {},
  notes: 'The environment says where and who: PAYMENTS_BASE_URL, PAYMENTS_API_KEY.',
  async run({ operands: [id = ''] }, terminal) {
    const payment = await clientOf(terminal).payments.get(id, { signal: terminal.interrupted })
    terminal.print(JSON.stringify(payment))
    return 0
  },
})
