// Calls `recover` of orders or a journal every 30 seconds, with BullMQ.
import { Queue, Worker } from 'bullmq'

export async function schedule(recover: () => Promise<unknown>): Promise<void> {
  const connection = { url: process.env['REDIS_URL'] ?? 'redis://localhost:6379' }
  new Worker('recover', recover, { connection }).on('error', console.error)
  const queue = new Queue('recover', { connection })
  await queue.upsertJobScheduler('recover', { every: 30_000 }, { opts: { removeOnComplete: 100, removeOnFail: 100 } })
}
