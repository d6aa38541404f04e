// BullMQ: the delivery key is the job's ID, so only one job is added even if the webhook function runs twice.
import { createServer } from 'node:http'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { createWebhookStore } from 'payments-client/redis'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const url = process.env['REDIS_URL'] ?? 'redis://localhost:6379'
// Without an offline queue, deliveries get a 500 immediately while Redis is unavailable.
const redis = new Redis(url, { enableOfflineQueue: false })
const queue = new Queue('payment-status', { connection: { url, enableOfflineQueue: false } })

// Jobs may run in any order. To act on a payment, fetch it in the job.
const worker = new Worker<{ id: string; status?: string }>(
  'payment-status',
  async ({ data }) => console.log(`${data.id} is ${data.status}`),
  { connection: { url } },
)
worker.on('error', (error) => console.error(String(error)))
await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  deduplicate: createWebhookStore(redis),
  on: {
    'PAYMENT.STATUS': async ({ payment }, { key }) => {
      const data = { id: payment.id, status: payment.status }
      // Keep completed jobs as long as the store remembers deliveries (7 days). After a job is deleted, BullMQ accepts
      // its ID again.
      await queue.add('PAYMENT.STATUS', data, { jobId: key, removeOnComplete: { age: 7 * 24 * 60 * 60 } })
    },
  },
  onError: (error) => console.error(String(error)),
})

const server = createServer(toNodeListener(receive))
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening on', server.address()))
