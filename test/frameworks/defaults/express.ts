import express from 'express'
import { PaymentsClient } from 'payments-client'

const client = new PaymentsClient()

const app = express()
app.get('/payments/:id', async (request, response) => {
  response.json(await client.payments.get(request.params.id))
})

const server = app.listen(Number(process.env['PORT']), () => console.log('listening on', server.address()))
