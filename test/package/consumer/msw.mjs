import { setupServer } from 'msw/node'
import { PaymentsClient } from 'payments-client'
import { handlers } from 'payments-client/msw'
import { createSandbox } from 'payments-client/sandbox'
import { PaymentSchema } from 'payments-client/schemas'
import { sign, verify } from 'payments-client/webhooks'
import { print, takePaymentThroughMsw } from './payment-flow.mjs'

const entries = { PaymentsClient, createSandbox, PaymentSchema, sign, verify }
print(await takePaymentThroughMsw({ ...entries, setupServer, handlers }))
