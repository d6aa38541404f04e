// BullMQ: the job's id is the delivery's key, so a webhook function that runs twice adds one job.
import { createServer } from 'node:http'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { createWebhookStore } from 'payments-client/redis'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const url = process.env['REDIS_URL'] ?? 'redis://localhost:6379'
// Deliveries get the response 500 while Redis is gone, instead of waiting for it.
const redis = new Redis(url, { enableOfflineQueue: false })
const queue = new Queue('payment-status', { connection: { url, enableOfflineQueue: false } })

const worker = new Worker<{ id: string; status?: string }>(
  'payment-status',
  async ({ data }) => console.log(`${data.id} is ${data.status}`),
  { connection: { url } },
)
worker.on('error', (error) => console.error(String(error)))
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])

const receive = createHandler({
  secret: () => process.env['PAYMENTS_SIGNING_SECRET'] ?? '',
  deduplicate: createWebhookStore(redis),
  on: {
    'PAYMENT.STATUS': async ({ payment }, { key }) => {
      const data = { id: payment.id, status: payment.status }
      // Completed jobs must be kept as long as deliveries: an id that was deleted can be added again.
      await queue.add('PAYMENT.STATUS', data, { jobId: key, removeOnComplete: { age: 7 * 24 * 60 * 60 } })
    },
  },
  onError: (error) => console.error(String(error)),
})

const server = createServer(toNodeListener(receive))
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening on', server.address()))
