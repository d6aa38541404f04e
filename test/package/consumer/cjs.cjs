const { PaymentsClient } = require('payments-client')
const { createSandbox } = require('payments-client/sandbox')
const { PaymentSchema } = require('payments-client/schemas')
const { sign, verify } = require('payments-client/webhooks')

import('./payment-flow.mjs').then(async ({ print, takePayment }) =>
  print(await takePayment({ PaymentsClient, createSandbox, PaymentSchema, sign, verify })),
)
