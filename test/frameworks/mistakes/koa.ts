// The usual mistake: no error handler exists.
import Koa from 'koa'
import { PaymentsClient } from 'payments-client'

const client = new PaymentsClient()

const app = new Koa()
app.use(async (context) => {
  context.body = await client.payments.get(context.path.split('/').at(-1) as string)
})

const server = app.listen(Number(process.env['PORT']), () => console.log('listening on', server.address()))
