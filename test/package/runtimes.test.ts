import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, inject, it } from 'vitest'
import { run } from './consumer.js'

const consumer = inject('bare')
const installed = (program: string) => resolve('test/frameworks/node_modules', program)
const result = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

describe.each([
  ['Node.js 22', [installed('node-22/bin/node')]],
  ['Node.js 24', [process.execPath]],
  ['Node.js 26', [installed('node-26/bin/node')]],
  ['Bun', [installed('.bin/bun')]],
  ['Deno', [installed('.bin/deno'), 'run', '--allow-all', '--node-modules-dir=manual']],
])('the package on %s', (_, [program = '', ...args]) => {
  it.each(['esm.mjs', 'cjs.cjs'])('creates a payment and verifies a webhook in %s', async (script) => {
    const printed = await run(program, [...args, script], consumer)

    expect(JSON.parse(printed)).toEqual(result)
  })

  it('sends each request only once if the connection closes without a response', async () => {
    const printed = await run(program, [...args, 'broken-connection.mjs'], consumer)

    expect(JSON.parse(printed)).toEqual({ requests: 6, outcomes: Array(6).fill('unknown') })
  })

  it('publishes calls and attempts on the diagnostics channels', async () => {
    const printed = await run(program, [...args, 'channels.mjs'], consumer)

    expect(JSON.parse(printed)).toEqual(['payments.list', 'payments.list'])
  })
})

describe('the package on workerd', () => {
  it('creates a payment and verifies a webhook', async () => {
    expect(await testWorker('plain', [])).toContain(JSON.stringify(result))
  })

  it('verifies a webhook synchronously with nodejs_compat', async () => {
    expect(await testWorker('compatible', ['nodejs_compat'])).toContain(JSON.stringify(result))
  })
})

/** Bundles the worker as wrangler does, runs it in workerd, and returns its log. */
async function testWorker(name: string, compatibilityFlags: string[]): Promise<string> {
  const bundle = await build({
    entryPoints: [join(consumer, 'worker.mjs')],
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
    write: false,
  })
  await writeFile(join(consumer, `${name}.js`), bundle.outputFiles[0]?.contents ?? '')
  const config = join(consumer, `${name}.capnp`)
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "${name}.js")],
  bindings = [(name = "NODE_MODULES", json = "${compatibilityFlags.length > 0}")],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ${JSON.stringify(compatibilityFlags)},
))]);`,
  )
  return run(installed('.bin/workerd'), ['test', config])
}
