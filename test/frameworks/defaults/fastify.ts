import fastify from 'fastify'
import { PaymentsClient } from 'payments-client'

const client = new PaymentsClient()

const app = fastify()
app.get<{ Params: { id: string } }>('/payments/:id', (request) => client.payments.get(request.params.id))

await app.listen({ port: Number(process.env['PORT']) })
console.log('listening on', app.server.address())
