import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { PaymentSchema } from 'payments-client/schemas'
import { sign, verify } from 'payments-client/webhooks'
import { print, story } from './story.mjs'

print(await story({ PaymentsClient, createSandbox, PaymentSchema, sign, verify }))
