// Redeems a customer's loyalty points, and refunds the points when the customer returns the order (beta).
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

const connectionId = 'connection-1'
const customerId = 'member-42'
sandbox.loyalty.setBalance(connectionId, customerId, 1000)

const member = await client.loyalty.customers.get(customerId, { connectionId })
console.log(member.balance) //=> 1000

// This operation takes no idempotency key, so the client never retries it after an ambiguous failure. The code in
// recipes/redeem-once.ts redeems the points once even after such a failure.
const redeemed = await client.loyalty.transactions.create({
  connectionId,
  customerId,
  orderId: 'order-17',
  type: 'REDEMPTION',
  value: 300,
})
console.log(redeemed.type, redeemed.value) //=> 'REDEMPTION' 300

await client.loyalty.transactions.create({ connectionId, customerId, orderId: 'order-17', type: 'REFUND', value: 300 })

for await (const transaction of client.loyalty.transactions.list({ connectionId, orderId: 'order-17' })) {
  console.log(transaction.type, transaction.value)
}
//=> 'REDEMPTION' 300
//=> 'REFUND' 300
console.log((await client.loyalty.customers.get(customerId, { connectionId })).balance) //=> 1000
