/** A workflow whose first step throws. After a restart, DBOS replays the error that it stored. Prints its fields. */
import { DBOS } from '@dbos-inc/dbos-sdk'
import { isPaymentsError, PaymentsClient, PaymentsError } from 'payments-client'

const client = new PaymentsClient()
const workflow = DBOS.registerWorkflow(
  async () => {
    const options = { idempotencyKey: 'capture-17-parcel-1-1' }
    const capture = () => client.payments.capture('pay_1', { amount: 9900 }, options)
    const error = await DBOS.runStep(capture, { name: 'capture' }).catch((thrown) => thrown)
    await DBOS.runStep(async () => (await client.payments.get('pay_1')).status, { name: 'get' })
    const { retry, errorId } = error
    return { isPaymentsError: isPaymentsError(error), retry, errorId, isClass: error instanceof PaymentsError }
  },
  { name: 'ship' },
)

DBOS.setConfig({ name: 'shop', systemDatabaseUrl: process.env['DATABASE_URL'] })
await DBOS.launch()
const handle = await DBOS.startWorkflow(workflow, { workflowID: 'ship-17' })()
console.log(JSON.stringify(await handle.getResult()))
