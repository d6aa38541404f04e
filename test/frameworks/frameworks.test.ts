import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { sign } from 'payments-client/webhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../package/consumer.js'
import { type App, apps, folder, signingSecret, start } from './app.js'

const payment = { id: 'pay_1', status: 'SETTLED' }
const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment })
/** Above the limit of 100 KB that several JSON parsers have. */
const metadata = { note: 'x'.repeat(200_000) }
const largeBody = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { ...payment, metadata } })

/** The output of an app may arrive late on a busy machine. */
const patiently = { timeout: 30_000 }

function deliver(app: { url: string }, sent: string, signed = sent): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...sign(signed, signingSecret) }
  return fetch(`${app.url}/webhooks`, { method: 'POST', headers, body: sent })
}

const program = (file: string, env?: Record<string, string>) => () => start(['--import', 'tsx', file], { env })

const servers: [name: string, start: () => Promise<App>][] = [
  ['Express', program('express.ts')],
  ['Express with express.json() first', program('express-json-first.ts')],
  ['Fastify', program('fastify.ts')],
  ['Hono', program('hono.ts')],
  ['NestJS on Express', program('nestjs.ts')],
  ['NestJS on Fastify', program('nestjs.ts', { PLATFORM: 'fastify' })],
  ['node:http', program('node-http.ts')],
  ['Next.js', startNext],
  ['Cloudflare Workers', () => startWorker('cloudflare-worker.ts')],
]

describe.each(servers)('%s', (_, startServer) => {
  it('handles a signed delivery of 200 KB once, and rejects a tampered one without giving a reason', async () => {
    const app = await startServer()

    const first = await deliver(app, largeBody)
    const redelivered = await deliver(app, largeBody)
    const tampered = await deliver(app, largeBody.replace('SETTLED', 'DECLINED'), largeBody)

    expect([first.status, redelivered.status, tampered.status]).toEqual([200, 200, 400])
    expect(await tampered.text()).toBe('Invalid webhook')
    await vi.waitFor(() => expect(app.printed().match(/pay_1 is SETTLED/g)).toHaveLength(1), patiently)
  })
})

const mistakes: [name: string, start: () => Promise<App>][] = [
  ['Express with express.json() first', program('mistakes/express.ts')],
  ['Fastify with its own JSON parser', program('mistakes/fastify.ts')],
  ['Hono with a body that was read', program('mistakes/hono.ts')],
  ['NestJS without rawBody on Express', program('mistakes/nestjs.ts')],
  ['NestJS without rawBody on Fastify', program('mistakes/nestjs.ts', { PLATFORM: 'fastify' })],
  ['Cloudflare Workers with a body that was read', () => startWorker('mistakes/cloudflare-worker.ts')],
]

describe.each(mistakes)('%s', (_, startServer) => {
  it('responds 400 and passes an error that explains the fix to onError', async () => {
    const app = await startServer()

    const response = await deliver(app, body)

    expect([response.status, await response.text()]).toEqual([400, 'Invalid webhook'])
    await vi.waitFor(() => expect(app.printed()).toMatch(/before any body parser/), patiently)
  })
})

describe('AWS Lambda', () => {
  it.each([
    ['an HTTP API (v2)', (headers: object) => ({ version: '2.0', headers, body, isBase64Encoded: false })],
    ['a REST API (v1)', (headers: object) => ({ httpMethod: 'POST', headers, multiValueHeaders: null, body })],
  ])('handles a delivery from %s', async (_, toEvent) => {
    vi.stubEnv('PAYMENTS_WEBHOOK_SECRET', signingSecret)
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { handler } = await import('../../examples/webhooks/aws-lambda.js')
    const requestContext = { http: { method: 'POST', path: '/webhooks' } }

    const response = await handler({ ...toEvent({ ...sign(body, signingSecret) }), requestContext } as never)

    expect(response).toMatchObject({ statusCode: 200 })
  })
})

describe('the framework examples', () => {
  it('compile with their frameworks’ types', async () => {
    expect(await run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc')], apps)).toBe('')
  })
})

/** Builds the app without secrets, as a build server does, and starts it. */
async function startNext(): Promise<App> {
  const app = join(folder, '.apps/nextjs')
  copyFileSync(join(folder, 'next-layout.tsx'), join(app, 'app/layout.tsx'))
  writeFileSync(
    join(app, 'next.config.mjs'),
    `export default { turbopack: { root: ${JSON.stringify(folder)} }, typescript: { ignoreBuildErrors: true } }\n`,
  )
  const next = join(folder, 'node_modules/next/dist/bin/next')
  // With CI set, Next.js reports a missing package instead of installing it.
  const env = { NEXT_TELEMETRY_DISABLED: '1', CI: '1' }
  await run(process.execPath, [next, 'build'], app, { ...env, NODE_ENV: 'production' })
  return start([next, 'start', '-p', '0'], { cwd: app, env })
}

/** Bundles a worker and runs it in workerd. */
async function startWorker(file: string): Promise<App> {
  const bundle = await build({
    entryPoints: [join(apps, file)],
    bundle: true,
    format: 'esm',
    write: false,
    conditions: ['workerd', 'import'],
    external: ['node:*'],
  })
  const script = join(apps, `${file.replaceAll(/\W/g, '-')}.mjs`)
  writeFileSync(script, bundle.outputFiles[0]?.text ?? '')
  return start(['run-worker.mjs', script])
}
