import { handOver, isWebAddress } from '../sandbox/webhooks/receiver.js'
import { sign } from '../webhooks/index.js'
import { defineCommand, required, UsageError } from './command.js'
import { sampleEvent, sampleTypes } from './sample-event.js'

/** `payments-client webhooks send <url>` */
export const webhooksSend = defineCommand({
  summary: 'Send a signed webhook to your receiver, and say what it answered',
  operands: ['<url>'],
  options: {
    event: { value: 'type', help: `A sample: ${sampleTypes.join(', ')} (default: PAYMENT.STATUS)` },
    data: { value: 'file', help: 'Send this file instead, byte for byte; - is the standard input' },
  },
  notes: 'The signing secret is read from the environment variable PAYMENTS_WEBHOOK_SECRET.',
  async run({ values: { event = 'PAYMENT.STATUS', data }, operands: [url = ''] }, terminal) {
    const secret = required(terminal, 'PAYMENTS_WEBHOOK_SECRET')
    if (!isWebAddress(url)) throw new UsageError('Where to? Give a URL, such as http://localhost:3000/webhooks')
    if (!sampleTypes.includes(event)) throw new UsageError(`--event must be one of ${sampleTypes.join(', ')}`)
    const body = data === undefined ? await sampleEvent(event) : await terminal.read(data)
    const { status, error } = await handOver(url, body, sign(body, secret))
    terminal.print(status === undefined ? `No answer: ${error}` : `The receiver answered ${status}`)
    return status !== undefined && status >= 200 && status < 300 ? 0 : 1
  },
})
