/** Iterates over all payments as a user's program would, and prints their number and the duration. */
import { PaymentsClient } from 'payments-client'

const startedAt = performance.now()
let payments = 0
for await (const _ of new PaymentsClient().payments.list({ limit: 100 })) payments++
console.log(JSON.stringify({ payments, durationMs: performance.now() - startedAt }))
