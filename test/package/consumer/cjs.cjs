const { PaymentsClient } = require('payments-client')
const { createSandbox } = require('payments-client/sandbox')
const { PaymentSchema } = require('payments-client/schemas')
const { sign, verify } = require('payments-client/webhooks')

import('./story.mjs').then(async ({ print, story }) =>
  print(await story({ PaymentsClient, createSandbox, PaymentSchema, sign, verify })),
)
