const { setupServer } = require('msw/node')
const { PaymentsClient } = require('payments-client')
const { handlers } = require('payments-client/msw')
const { createSandbox } = require('payments-client/sandbox')
const { PaymentSchema } = require('payments-client/schemas')
const { sign, verify } = require('payments-client/webhooks')

const entries = { PaymentsClient, createSandbox, PaymentSchema, sign, verify }
import('./story.mjs').then(async ({ print, storyThroughMsw }) =>
  print(await storyThroughMsw({ ...entries, setupServer, handlers })),
)
