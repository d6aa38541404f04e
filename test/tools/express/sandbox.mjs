/** Runs the sandbox in a separate process, which the shop's tracer does not trace. */
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const { url } = await sandbox.listen()
process.on('message', async ({ type, value }) => {
  if (type === 'subscribe') sandbox.webhooks.subscribe(value)
  if (type === 'finish-refund') sandbox.processor.finishRefund(value, 'SETTLED')
  await sandbox.webhooks.flush()
  process.send({ deliveries: sandbox.webhooks.deliveries.map(({ status }) => status) })
})
process.send({ url, apiKey: sandbox.apiKey, secret: sandbox.webhooks.secret, token: sandbox.tokens.card })
