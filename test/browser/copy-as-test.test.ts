import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { act, type Inspector, startInspector } from './support.js'

const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 5000 }

/** Functions that create a payment, change it in different ways, and return its ID. */
const courses: Readonly<Record<string, (inspector: Inspector, page: Page) => Promise<string>>> = {
  async 'captures, refunds and a dispute'({ client, sandbox, open }) {
    const metadata = { note: "it's\n“new”", __proto__: 1, 'a-b': 2 }
    const { id } = await client.payments.create({ ...order, paymentMethodToken: 'tok_card', metadata })
    await client.payments.capture(id, { amount: 3000, final: false }, { idempotencyKey: 'key-1' })
    await client.payments.capture(id, { amount: 3000, final: false }, { idempotencyKey: 'key-1' })
    await client.payments.capture(id, { amount: 9000 }).catch(() => undefined)
    await client.payments.refund(id, { amount: 1000 })
    await client.payments.refund(id, { amount: 500 })
    sandbox.processor.finishRefund(id, 'SETTLED')
    sandbox.processor.finishRefund(id, 'FAILED')
    const page = await open(`payments/${id}`)
    await act(page, 'Open dispute', { Amount: '700' })
    await act(page, 'Move dispute', { Status: 'LOST' })
    return id
  },
  async 'a session, 3-D Secure and a lost response'({ client, sandbox }) {
    const { clientToken } = await client.clientSessions.create(order)
    const paymentMethodToken = sandbox.tokenize({ clientToken, scenario: 'requires3ds' })
    const { id } = await client.payments.create({ paymentMethodToken })
    await client.payments.resume(id, { resumeToken: sandbox.completeAction(id) })
    sandbox.faults.add({ operation: 'payments.capture', at: 'after', reset: true })
    await client.payments.capture(id)
    return id
  },
  async 'a cart in version 2.1 that fails'({ client, sandbox }) {
    const { id } = await client.withOptions({ apiVersion: '2.1' }).payments.create({
      ...order,
      paymentMethodToken: 'tok_pending',
      lineItems: [{ itemId: 'tea', amount: 2500, quantity: 2 }],
    })
    sandbox.processor.authorize(id)
    sandbox.processor.fail(id)
    return id
  },
  async 'an adjusted authorization of a session'({ client, sandbox }) {
    const paymentMethod = { authorizationType: 'ESTIMATED' } as const
    const { clientToken } = await client.clientSessions.create({ ...order, paymentMethod })
    const paymentMethodToken = sandbox.tokenize({ clientToken, scenario: 'estimated' })
    const { id } = await client.payments.create({ paymentMethodToken })
    await client.payments.adjustAuthorization(id, { amount: 6000 })
    return id
  },
  async 'a cancelled payment'({ client }) {
    const { id } = await client.payments.create({ ...order, paymentMethodToken: 'tok_slow_settlement' })
    await client.payments.cancel(id, { reason: 'out of stock' })
    return id
  },
}

const folder = '.build/copied'

it('the button “Copy as test” creates vitest files that pass', async () => {
  const inspector = await startInspector()
  const page = await inspector.open()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })

  for (const [index, [name, happen]] of Object.entries(courses).entries()) {
    const id = await happen(inspector, page)
    await page.goto(`${inspector.server.url}/__sandbox/payments/${id}`)
    await page.getByRole('button', { name: 'Copy as test' }).click()
    await page.getByText('Copied.').waitFor()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    expect(code, name).toContain("from 'payments-client'")
    writeFileSync(`${folder}/copied-${index}.test.ts`, code)
  }

  const { status, output } = await runVitest()
  expect(status, output).toBe(0)
  expect(output).toContain('5 passed')
})

async function runVitest(): Promise<{ status: number; output: string }> {
  const config = `${folder}/vitest.config.ts`
  const alias = {
    'payments-client/sandbox': resolve('src/testing/index.ts'),
    'payments-client/webhooks': resolve('src/webhooks/index.ts'),
    'payments-client': resolve('src/index.ts'),
  }
  const settings = { resolve: { alias }, test: { include: [`${folder}/*.test.ts`], isolate: false } }
  writeFileSync(config, `export default ${JSON.stringify(settings)}`)
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', '--config', config]
  const child = spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: '1' } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [status] = await once(child, 'close')
  return { status, output }
}
