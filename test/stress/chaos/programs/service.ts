// A sandbox that loses requests and responses, and fails at random. Takes commands from its parent process.
import { createSandbox, type Effect, type Fault, type SandboxOptions } from '../../../../src/testing/index.js'
import { deliverWebhooks, type Receivers, runProcessor } from '../orders/webhooks.js'

/** A message from the parent process. */
export interface Command {
  /** Stops adding faults. */
  readonly recover?: true
  /** Advances the clock by this number of milliseconds. */
  readonly pass?: number
  /** Forgets every idempotency key. */
  readonly forget?: true
  /** Delivers webhooks to these processes from now on. */
  readonly receivers?: Receivers
}

/** The first message, and the response to each command. */
export interface ServiceState {
  readonly url: string
  readonly apiKey: string
  readonly tokens: Readonly<Record<string, string>>
  readonly webhookSecret: string
  readonly requests: number
  /** The number of requests that failed because of a fault. Delays alone do not count. */
  readonly faults: number
  readonly ledger: readonly Effect[]
}

const [, , idempotency] = process.argv as unknown as [string, string, NonNullable<SandboxOptions['idempotency']>]
const sandbox = createSandbox({ idempotency, listDelay: '60s' })
const { url } = await sandbox.listen()
const cutOff = '{"error":{"errorId":"Idempo'

/** The faults to add, each with its weight. */
const kinds: [number, () => Fault][] = [
  [400, () => ({ delay: 1 + Math.floor(Math.random() * 15) })],
  // The response is lost or cut off.
  [60, () => ({ at: 'after', reset: true })],
  [20, () => ({ at: Math.floor(Math.random() * 400) })],
  [20, () => ({ at: 'after', delay: 100, reset: true })],
  [3, () => ({ at: 'after', hang: true })],
  // The request is lost.
  [40, () => ({ reset: true })],
  [40, () => ({ status: 503, headers: { 'retry-after': '0' } })],
  [20, () => ({ at: 'after', status: 503 })],
  [40, () => ({ status: 429, headers: { 'retry-after': '0' } })],
  [10, () => ({ status: 429, headers: { 'retry-after': '1' } })],
  [30, () => ({ status: 409, body: cutOff })],
  [20, () => ({ at: 'after', status: 409, body: cutOff })],
]
const weighted = kinds.flatMap(([weight, create]) => Array.from({ length: weight }, () => create))

/** The faults in the sandbox's queue. */
let queue: Fault[] = []

function addFault(): void {
  const create = weighted[Math.floor(Math.random() * weighted.length)] as () => Fault
  const fault = create()
  sandbox.faults.add(fault)
  queue.push(fault)
}

let receivers: Receivers | undefined
let requests = 0
let faults = 0
let isFaulty = true
// Queues faults. Each request removes a fault from the queue, and the loop below adds a new fault.
for (let index = 0; index < 200; index++) addFault()
void (async () => {
  for await (const { type } of sandbox.events) {
    if (type !== 'request') continue
    requests++
    const { delay, ...failure } = queue.shift() ?? {}
    if (Object.keys(failure).length > 0) faults++
    if (isFaulty) addFault()
  }
})()

function send(): void {
  const state: ServiceState = {
    url,
    apiKey: sandbox.apiKey,
    tokens: { ...sandbox.tokens },
    webhookSecret: sandbox.webhooks.secret,
    requests,
    faults,
    ledger: sandbox.ledger,
  }
  process.send?.(state)
}

process.on('message', async ({ recover, pass = 0, forget, receivers: given }: Command) => {
  if (given) {
    if (receivers === undefined) {
      deliverWebhooks(sandbox, () => receivers as Receivers)
      runProcessor(sandbox)
    }
    receivers = given
  }
  if (recover) {
    isFaulty = false
    sandbox.faults.clear()
    queue = []
  }
  await sandbox.clock.advance(pass)
  if (forget) {
    const snapshot = sandbox.snapshot()
    sandbox.restore({ ...snapshot, store: { ...snapshot.store, idempotency: [] } })
  }
  send()
})
process.on('disconnect', () => process.exit())
send()
