import { tracingChannel } from 'node:diagnostics_channel'
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { print } from './payment-flow.mjs'

const operations = []
for (const channel of ['call', 'attempt']) {
  tracingChannel(`payments-client:${channel}`).asyncEnd.subscribe(({ operation }) => operations.push(operation))
}
const client = new PaymentsClient(createSandbox().clientOptions())
await client.payments.list()
print(operations)
