import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { PaymentSchema } from 'payments-client/schemas'
import { sign, verify } from 'payments-client/webhooks'
import { print, takePayment } from './payment-flow.mjs'

print(await takePayment({ PaymentsClient, createSandbox, PaymentSchema, sign, verify }))
