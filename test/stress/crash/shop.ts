/**
 * A merchant's program that creates and captures a payment.
 *
 * The program saves each idempotency key before using the key, so that the program can be killed and restarted at any
 * time. The test runs it in a separate process, with a `Task` as JSON in its argument.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Payment, PaymentsClient } from '../../../src/index.js'

export interface Task {
  readonly baseUrl: string
  readonly apiKey: string
  /** The folder for the merchant's keys and results. */
  readonly folder: string
  /** The number of the mark at which the process kills itself. */
  readonly dieAt?: number | undefined
}

const task: Task = JSON.parse(process.argv[2] as string)
let marks = 0

/** Counts a mark. Kills the process if the task says so for this mark. */
function mark(): void {
  marks += 1
  if (marks === task.dieAt) process.kill(process.pid, 'SIGKILL')
}

/** Returns the content of a file. If the file does not exist, first creates it atomically, with the given content. */
function kept(name: string, content: string): string {
  const file = join(task.folder, name)
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, content)
    mark()
    renameSync(`${file}.new`, file)
  }
  mark()
  return readFileSync(file, 'utf8')
}

const { baseUrl, apiKey } = task
const client = new PaymentsClient({ baseUrl, apiKey, hooks: { onRequest: mark, onResponse: mark, onRetry: mark } })

/** Returns the payment from a call. If an earlier call used the same key, returns the payment of that call. */
async function once(call: Promise<Payment>): Promise<Payment> {
  try {
    return await call
  } catch (error) {
    const { errorId = '', paymentId } = error as { errorId?: string; paymentId?: string }
    if (!errorId.endsWith('IdempotencyKeyAlreadyExists') || paymentId === undefined) throw error
    return client.payments.get(paymentId)
  }
}

const body = { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
const idempotencyKey = kept('create-key', crypto.randomUUID())
const { id } = await once(client.payments.create(body, { idempotencyKey }))
mark()
const captureKey = kept('capture-key', crypto.randomUUID())
const payment = await once(client.payments.capture(id, { amount: 5000 }, { idempotencyKey: captureKey }))
mark()
kept('receipt', JSON.stringify({ id: payment.id, status: payment.status }))
