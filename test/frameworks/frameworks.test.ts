import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createSandbox } from 'payments-client/sandbox'
import { sign } from 'payments-client/webhooks'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../package/consumer.js'
import { openShopPage } from '../support/shop-page.js'
import { type App, account, apps, folder, signingSecret } from './app.js'
import { openDatabase } from './databases.js'
import { commands, commonPackages, guides, printedLines } from './guides.js'
import { program, servers, startWorker } from './servers.js'

const payment = { id: 'pay_1', orderId: 'order-1', status: 'SETTLED' }
const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment })
/** Metadata that exceeds the 100 KB limit of several JSON parsers. */
const metadata = { note: 'x'.repeat(200_000) }
const largeBody = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { ...payment, metadata } })

/** Allows extra time, because a busy machine may delay an app's output. */
const patiently = { timeout: 300_000 }

function deliver(app: App, secret: string, sent: string, signed = sent): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...sign(signed, secret) }
  return fetch(`${app.url}/webhooks`, { method: 'POST', headers, body: sent })
}

describe.each(servers)('$name', (server) => {
  // Older versions of the service respond 400 instead of 409 to an idempotency key that was already used.
  const sandbox = createSandbox({ seed: 'demo', idempotency: 'conflict-400' })
  const { secret } = sandbox.webhooks
  let service: Awaited<ReturnType<typeof sandbox.listen>>
  let app: App
  let env: Readonly<Record<string, string>>

  beforeAll(async () => {
    service = await sandbox.listen()
    env = (await openDatabase(server)).env
    app = await server.start({
      PAYMENTS_BASE_URL: service.url,
      PAYMENTS_API_KEY: sandbox.apiKey,
      PAYMENTS_WEBHOOK_SECRET: secret,
      ...env,
    })
  })
  afterAll(() => Promise.all([app?.stop(), service.close()]))

  it.runIf(server.guide && server.database !== 'postgres')(
    'opens the database of the shop before the first request',
    async () => {
      await vi.waitFor(() => expect(existsSync(env['DATABASE'] as string)).toBe(true), patiently)
    },
  )

  it('handles a signed 200 KB webhook once, and responds 400 to a tampered webhook', async () => {
    const first = await deliver(app, secret, largeBody)
    const redelivered = await deliver(app, secret, largeBody)
    const tampered = await deliver(app, secret, largeBody.replace('SETTLED', 'DECLINED'), largeBody)

    expect([first.status, redelivered.status, tampered.status]).toEqual([200, 200, 400])
    expect(await tampered.text()).toBe('Invalid webhook')
    await vi.waitFor(() => expect(app.printed().match(/^order-1 is /gm)).toHaveLength(1), patiently)
  })

  it.runIf(server.guide)('creates a payment and prints the output shown in the guide', async () => {
    sandbox.webhooks.subscribe(`${app.url}/webhooks`)

    const outputs: string[] = []
    for (const { command } of commands) outputs.push(await inShell(command, app))
    await sandbox.webhooks.flush()

    expect(outputs).toEqual(commands.map(({ output }) => output))
    expect(sandbox.webhooks.deliveries.map(({ status }) => status)).toEqual([200, 200])
    await vi.waitFor(() => expect(printedLines.filter((line) => !app.printed().includes(line))).toEqual([]), patiently)
    // A second payment for a paid order succeeds without a charge. An unknown token gets a 400.
    const statuses = [await pay(app, 'order-17', 'tok_pending'), await pay(app, 'order-18', 'tok_x')]
    expect(statuses).toEqual([200, 400])
    expect(sandbox.ledger).toHaveLength(3)
    if (server.endsOnSigterm) expect(await app.stop('SIGTERM')).toBe(0)
  })

  // Servers without a guide only receive webhooks. They take no payments.
  const modes = server.guide ? (['replay', 'conflict'] as const) : []
  describe.each(modes)('with idempotency mode %s', (idempotency) => {
    /** Starts a service and the shop, and opens its page. */
    async function openShop() {
      const sandbox = createSandbox({ idempotency })
      const service = await sandbox.listen()
      const { env, expireClaims } = await openDatabase(server)
      const start = () => server.start({ PAYMENTS_BASE_URL: service.url, PAYMENTS_API_KEY: sandbox.apiKey, ...env })
      let app = await start()
      onTestFinished(async () => void (await Promise.all([app.stop(), service.close()])))
      const page = openShopPage((path, init) => fetch(`${app.url}${path}`, init), sandbox)
      const restart = async () => {
        await app.stop()
        // After a minute, other processes may continue the operations of a dead process.
        await expireClaims()
        app = await start()
      }
      return { sandbox, page, restart }
    }

    it('charges the customer once if the server dies and the customer tries another card', async () => {
      const { sandbox, page, restart } = await openShop()
      sandbox.faults.add({ operation: 'payments.create', at: 'after', hang: true })
      const first = page.pay('17')
      await vi.waitFor(() => expect(sandbox.ledger).toHaveLength(1), patiently)
      await restart()

      const shown = [await first, await page.payUntilKnown('17', 'tok_paypal')]

      expect(shown.map(({ state }) => state)).toEqual(['pending', 'authorized'])
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['pay-17-1'])
    })
  })
})

async function pay(app: App, order: string, paymentMethodToken: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify({ paymentMethodToken }) }
  return (await fetch(`${app.url}/orders/${order}/pay`, sent)).status
}

function inShell(command: string, app: App): Promise<string> {
  return run('sh', ['-c', command.replace('http://localhost:3000', app.url).replace(/^curl/, 'curl --silent')])
}

describe('docs/guides/frameworks.md', () => {
  it('includes only servers that have a test', () => {
    const tested = new Set(servers.flatMap(({ guide }) => guide ?? []))

    expect(guides.map(({ name }) => name).sort()).toEqual([...tested].sort())
  })

  it.each(guides)('includes an install command for every imported package: $name', ({ files, packages }) => {
    const imported = [...files.values()].flatMap((content) =>
      [...content.matchAll(/(?:from|import) '((?:@[^/']+\/)?[^./'][^/']*)/g)].map(([, name = '']) => name),
    )

    const installed = [...commonPackages, ...packages]
    const missing = imported.filter((name) => !name.startsWith('node:') && !installed.includes(name))
    expect(missing.filter((name) => !installed.includes(`@types/${name}`))).toEqual([])
  })
})

const mistakes: [name: string, start: () => Promise<App>][] = [
  ['Express with express.json() first', program('mistakes/express.ts')],
  ['Fastify with its own JSON parser', program('mistakes/fastify.ts')],
  ['Hono with a body that was already read', program('mistakes/hono.ts')],
  ['NestJS without rawBody on Express', program('mistakes/nestjs.ts')],
  ['NestJS without rawBody on Fastify', program('mistakes/nestjs.ts', { PLATFORM: 'fastify' })],
  ['Cloudflare Workers with a body that was already read', startWorker('mistakes/cloudflare-worker.ts')],
]

describe.each(mistakes)('%s', (_, startServer) => {
  it('responds 400 to a webhook without its raw body, and explains the fix to onError', async () => {
    const app = await startServer()
    onTestFinished(async () => void (await app.stop()))

    const response = await deliver(app, signingSecret, body)

    expect([response.status, await response.text()]).toEqual([400, 'Invalid webhook'])
    await vi.waitFor(() => expect(app.printed()).toMatch(/before any body parser/), patiently)
  })
})

const withoutErrorHandler: [name: string, start: (env?: Record<string, string>) => Promise<App>][] = [
  ['Express', program('mistakes/express.ts')],
  ['Fastify', program('mistakes/fastify.ts')],
  ['Koa', program('mistakes/koa.ts')],
  ['NestJS on Express', program('mistakes/nestjs.ts')],
  ['NestJS on Fastify', program('mistakes/nestjs.ts', { PLATFORM: 'fastify' })],
]

describe('the default error handlers of frameworks', () => {
  it.each(withoutErrorHandler)(
    'responds 500 from the framework’s error handler if the service fails: %s',
    async (_, startServer) => {
      const sandbox = createSandbox()
      const service = await sandbox.listen()
      const app = await startServer({ PAYMENTS_BASE_URL: service.url, PAYMENTS_API_KEY: sandbox.apiKey })
      onTestFinished(async () => void (await Promise.all([app.stop(), service.close()])))
      const errors = [401, 403, 404, 409, 422, 429]

      const statuses: number[] = []
      for (const status of errors) {
        sandbox.faults.add({ status, headers: { 'retry-after': '120' } })
        statuses.push((await fetch(`${app.url}/payments/pay_1`)).status)
      }

      expect(statuses).toEqual(errors.map(() => 500))
    },
  )
})

describe('toLambdaHandler on AWS Lambda', () => {
  it.each([
    ['an HTTP API (v2)', (headers: object) => ({ version: '2.0', headers, body, isBase64Encoded: false })],
    ['a REST API (v1)', (headers: object) => ({ httpMethod: 'POST', headers, multiValueHeaders: null, body })],
  ])('handles a webhook from %s', async (_, toEvent) => {
    const database = await openDatabase({ database: 'postgres' })
    const env = { ...account, PAYMENTS_WEBHOOK_SECRET: signingSecret, ...database.env }
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { webhooks } = await import(join(apps, 'guides/aws-lambda-postgres/functions.ts'))
    const requestContext = { http: { method: 'POST', path: '/webhooks' } }

    const response = await webhooks({ ...toEvent({ ...sign(body, signingSecret) }), requestContext } as never)

    expect(response).toMatchObject({ statusCode: 200 })
  })
})

describe('the shop code that uses SQLite', () => {
  it('opens a new database file in several processes at the same time', async () => {
    const { env } = await openDatabase({})
    const script = "import('./shop.ts').then(({ openShop }) => openShop()).then(() => process.exit())"
    const open = () => run(process.execPath, ['--eval', script], join(apps, 'guides/express'), { ...account, ...env })

    await expect(Promise.all([1, 2, 3, 4, 5].map(open))).resolves.toHaveLength(5)
  })
})

describe('the framework guides and examples', () => {
  it('compiles the guides and examples with the frameworks’ types', async () => {
    expect(await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc')], apps)).toBe('')
  })
})
