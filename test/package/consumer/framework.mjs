// Sends a signed event of 200 KB and an unsigned one to a framework's app. Prints the two status codes.
import { once } from 'node:events'
import { sign } from 'payments-client/webhooks'

const { app, POST, handler } = await import(process.argv[2])
const payment = { id: 'pay_1', status: 'SETTLED', metadata: { note: 'x'.repeat(200_000) } }
const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment })
const signed = { 'content-type': 'application/json', ...sign(body, 'a secret of at least 16 bytes') }
const send = await sender()

console.log(await send(signed), await send({ 'content-type': 'application/json' }))
process.exit()

async function sender() {
  if (handler) return async (headers) => (await handler({ httpMethod: 'POST', headers, body })).statusCode
  if (POST)
    return async (headers) =>
      (await POST(new Request('http://shop/webhooks', { method: 'POST', headers, body }))).status
  if (typeof app.request === 'function')
    return async (headers) => (await app.request('/webhooks', { method: 'POST', headers, body })).status
  const url = await listen()
  return async (headers) => (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status
}

async function listen() {
  if (app.inject) return app.listen({ port: 0 })
  const server = app.listen(0)
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}
