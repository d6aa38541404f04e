const { setupServer } = require('msw/node')
const { PaymentsClient } = require('payments-client')
const { handlers } = require('payments-client/msw')
const { createSandbox } = require('payments-client/sandbox')
const { PaymentSchema } = require('payments-client/schemas')
const { sign, verify } = require('payments-client/webhooks')

const entries = { PaymentsClient, createSandbox, PaymentSchema, sign, verify }
import('./payment-flow.mjs').then(async ({ print, takePaymentThroughMsw }) =>
  print(await takePaymentThroughMsw({ ...entries, setupServer, handlers })),
)
