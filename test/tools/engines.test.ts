import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PaymentsClient } from 'payments-client'
import { createSandbox, type Sandbox } from 'payments-client/sandbox'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type DatabaseServer, installServers, startPostgres } from '../stores/servers.js'
import { closedPort } from '../support/scripted-server.js'
import { snippetsIn } from '../support/snippets.js'

const folder = join(import.meta.dirname, '.apps/engines')

/** The programs in the guide, by the name of the file. */
const programs = Object.fromEntries(
  snippetsIn('docs/guides/engines.md').map(({ file, code }) => {
    const [, engine = ''] = /from '@?(dbos|restate|bullmq)/.exec(code) ?? []
    return [file ?? `${engine}.ts`, code]
  }),
)

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of Object.entries(programs)) writeFileSync(join(folder, file), code)
})

/** Starts a program in its own process, which ends with the test. */
function start(program: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'] ?? '', ...env } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  return { kill, exited, printed: () => printed }
}

const startNode = (file: string, env: Record<string, string>) => start(process.execPath, [join(folder, file)], env)

const restateServer = join(
  import.meta.dirname,
  `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
)

/** Starts a sandbox that contains the payment of the guide's programs. The next capture gets no response. */
async function startService(at: 'before' | 'after') {
  const sandbox = createSandbox()
  const client = new PaymentsClient(sandbox.clientOptions())
  const order = { orderId: '17', currencyCode: 'EUR', amount: 5000 }
  const { id } = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.card })
  sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot()).replaceAll(id, 'pay_1')))
  sandbox.faults.add({ operation: 'payments.capture', at, hang: true })
  const { url, close } = await sandbox.listen()
  onTestFinished(close)
  return { sandbox, env: { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: sandbox.apiKey } }
}

const capturesOf = ({ ledger }: Sandbox) => ledger.filter(({ operation }) => operation === 'payments.capture')

/** Waits until the service has received the capture and, with `after`, has also executed it. */
async function inTheMiddleOfACapture(sandbox: Sandbox, at: 'before' | 'after') {
  const received = () => sandbox.requests.filter(({ operation }) => operation === 'payments.capture')
  await expect.poll(received).toHaveLength(1)
  await expect.poll(() => capturesOf(sandbox)).toHaveLength(at === 'after' ? 1 : 0)
}

/** Sends a request, and returns the response's body, or undefined if the server is not ready. */
async function request(url: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'capture-17-parcel-1' }
  const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(url, init).catch(() => undefined)
  return response?.ok ? response.json() : undefined
}

let postgres: DatabaseServer
beforeAll(async () => {
  await installServers()
  postgres = await startPostgres()
  return () => postgres.stop()
})

/** Creates an empty database, and returns its URL. DBOS creates the database itself. */
function newDatabase(name: string): string {
  const url = new URL(postgres.url)
  url.pathname = name
  return url.href
}

describe.each(['before', 'after'] as const)('after kill -9 %s the service executes a capture', (at) => {
  it('DBOS captures once and returns the result', async () => {
    const { sandbox, env } = await startService(at)
    const worker = () => startNode('dbos.ts', { ...env, DATABASE_URL: newDatabase(`kill_${at}`) })
    const killed = worker()
    await inTheMiddleOfACapture(sandbox, at)
    await killed.kill()

    const { printed } = worker()

    await expect.poll(printed).toContain("{ status: 'SETTLED' }")
    expect(killed.printed()).not.toContain('SETTLED')
    expect(capturesOf(sandbox)).toMatchObject([{ amount: 2000, idempotencyKey: 'capture-17-parcel-1-1' }])
  })

  it('Restate captures once and returns the result', async () => {
    const { sandbox, env } = await startService(at)
    const [port, ingress, admin, fabric] = await Promise.all([closedPort(), closedPort(), closedPort(), closedPort()])
    const data = await mkdtemp(join(tmpdir(), 'restate-'))
    const settings = {
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_BIND_PORT: String(fabric),
    }
    const processes = () => [
      start(restateServer, ['--base-dir', data, '--node-name', 'one', '--listen-mode', 'tcp'], settings),
      startNode('restate.ts', { ...env, PORT: String(port) }),
    ]
    const killed = processes()
    const deployment = { uri: `http://127.0.0.1:${port}` }
    await expect.poll(() => request(`http://127.0.0.1:${admin}/deployments`, deployment)).toBeDefined()
    const parcel = { orderId: '17', parcel: 'parcel-1', paymentId: 'pay_1', amount: 2000 }
    const send = () => request(`http://127.0.0.1:${ingress}/shop/capture/send`, parcel)
    await expect.poll(send).toMatchObject({ invocationId: expect.any(String) })
    await inTheMiddleOfACapture(sandbox, at)
    for (const { kill } of killed) await kill()

    processes()

    const call = () => request(`http://127.0.0.1:${ingress}/shop/capture`, parcel)
    await expect.poll(call).toEqual({ status: 'SETTLED' })
    expect(capturesOf(sandbox)).toMatchObject([{ amount: 2000, idempotencyKey: 'capture-17-parcel-1-1' }])
  })
})

it('isPaymentsError recognizes the error that DBOS replays after kill -9', async () => {
  const { sandbox, env } = await startService('before')
  sandbox.faults.clear()
  sandbox.faults.add({ operation: 'payments.get', at: 'before', hang: true })
  const worker = () => startNode('../../programs/replayed-error.mjs', { ...env, DATABASE_URL: newDatabase('replay') })
  const killed = worker()
  await expect.poll(() => sandbox.requests.filter(({ operation }) => operation === 'payments.get')).toHaveLength(1)
  await killed.kill()

  const { printed } = worker()

  const errorFields = { isPaymentsError: true, retry: 'new-key', errorId: 'CaptureExceedsAuthorizedAmount' }
  await expect.poll(printed).toContain(JSON.stringify({ ...errorFields, isClass: false }))
  expect(sandbox.requests.filter(({ operation }) => operation === 'payments.capture')).toHaveLength(1)
})
