/** Makes its first calls when something has been put on `Object.prototype` already. Nothing was loaded or built before. */
import { createServer } from 'node:http'
import { PaymentsClient } from 'payments-client'

const [, , name = '', value = ''] = process.argv
const payment = { id: 'pay_1', status: 'AUTHORIZED' }
const server = createServer((request, response) =>
  request.resume().on('end', () => response.end(JSON.stringify(payment))),
)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as { port: number }

Object.defineProperty(Object.prototype, name, {
  value: JSON.parse(value),
  configurable: true,
  enumerable: true,
  writable: true,
})
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 })
const created = await client.payments.create({ paymentMethodToken: 'tok_1', metadata: { basket: 'b' } })
const captured = await client.payments.capture('pay_1', { amount: 5 })
Reflect.deleteProperty(Object.prototype, name)
console.log(created.id, captured.id)
server.close()
