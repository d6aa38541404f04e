/**
 * A merchant's program that creates and captures a payment.
 *
 * The program saves each idempotency key before using the key, so that the program can be killed and restarted at any
 * time. crash.ts runs it in a separate process, with a `Task` as JSON in its argument.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError, type Payment, PaymentsClient } from '../../../src/index.js'

export interface Task {
  readonly baseUrl: string
  readonly apiKey: string
  /** The folder for the merchant's keys and results. */
  readonly folder: string
  /** The mark at which the process kills itself, for example `request 2` for the second request. */
  readonly dieAt?: string | undefined
}

const task: Task = JSON.parse(process.argv[2] as string)
const marks: string[] = []

/** Records that the program reached a mark. Kills the process if the task says so for this mark. */
function mark(name: string): void {
  const mark = `${name} ${1 + marks.filter((other) => other.startsWith(`${name} `)).length}`
  marks.push(mark)
  if (mark === task.dieAt) process.kill(process.pid, 'SIGKILL')
}

/**
 * Returns the content of a file. If the file does not exist, first creates it atomically, with the result of `make`.
 */
function kept(name: string, make: () => string, what = name): string {
  const file = join(task.folder, name)
  if (!existsSync(file)) {
    mark(`before the ${what} is kept`)
    writeFileSync(`${file}.new`, make())
    mark(`while the ${what} is kept`)
    renameSync(`${file}.new`, file)
  }
  mark(`after the ${what} is kept`)
  return readFileSync(file, 'utf8')
}

const client = new PaymentsClient({
  baseUrl: task.baseUrl,
  apiKey: () => {
    mark('key asked')
    return task.apiKey
  },
  hooks: {
    onRequest: () => mark('request'),
    onResponse: () => mark('response'),
    onRetry: () => mark('retry'),
  },
})

/** Returns the payment from a call. If an earlier call used the same key, returns the payment of that call. */
async function once(call: Promise<Payment>): Promise<Payment> {
  try {
    return await call
  } catch (error) {
    const { errorId = '', paymentId } = error instanceof ApiError ? error : {}
    if (!errorId.endsWith('IdempotencyKeyAlreadyExists') || paymentId === undefined) throw error
    mark('used before')
    return client.payments.get(paymentId)
  }
}

mark('start')
const createKey = kept('create-key', () => crypto.randomUUID())
const facts = { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
const { id } = await once(client.payments.create(facts, { idempotencyKey: createKey }))
mark('created')
const captureKey = kept('capture-key', () => crypto.randomUUID())
const payment = await once(client.payments.capture(id, { amount: 5000 }, { idempotencyKey: captureKey }))
mark('captured')
kept('receipt', () => JSON.stringify({ id: payment.id, status: payment.status }))
mark('end')
process.stdout.write(JSON.stringify(marks))
