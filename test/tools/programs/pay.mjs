/** Creates the payment in the first argument, and prints its id or the error code. */
import { PaymentsClient } from 'payments-client'

const client = new PaymentsClient({ maxRetries: 0 })
const result = await client.payments.create(JSON.parse(process.argv[2])).catch((error) => error)
console.log(result.id ?? `${result.code} ${result.outcome} ${result.reason}`)
