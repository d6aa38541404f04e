import { readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, inject, it } from 'vitest'
import { run } from './consumer.js'

const nodes = {
  'Node.js 20.19': resolve('test/runtimes/node_modules/node-20/bin/node'),
  [`Node.js ${process.version}`]: process.execPath,
  'Node.js 26': resolve('test/runtimes/node_modules/node-26/bin/node'),
}
const result = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

it('the package has an installed size of at most 3 MB', () => {
  expect(inject('packed').unpackedSize).toBeLessThanOrEqual(3_000_000)
})

describe.each(Object.entries(nodes))('the package on %s', (_, node) => {
  it.each(['esm.mjs', 'cjs.cjs'])('loads every entry and creates a payment in %s', async (program) => {
    const printed = await run(node, [program], inject('bare'))

    expect(JSON.parse(printed)).toEqual(result)
  })

  it.each([
    ['module', "import * as main from 'payments-client'"],
    ['commonjs', "const main = require('payments-client')"],
  ])('keeps the class names in the %s build', async (type, load) => {
    const program = `${load}
      const client = new main.PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.example.com' })
      const list = client.payments.list()
      const objects = [client, client.withOptions({}), client.payments, list, list.resumeFrom(list.checkpoint())]
      const errors = Object.entries(main).filter(([, value]) => value.prototype instanceof Error)
      console.log(JSON.stringify({
        objects: objects.map((object) => object.constructor.name),
        exported: errors.map(([name]) => name),
        errors: errors.map(([, value]) => value.name),
      }))`

    const printed = await run(node, [`--input-type=${type}`, '--eval', program], inject('bare'))

    const { objects, exported, errors } = JSON.parse(printed)
    expect(objects).toEqual(['PaymentsClient', 'PaymentsClient', 'Payments', 'PagedList', 'PagedList'])
    expect(errors).toContain('ApiError')
    expect(errors).toEqual(exported)
  })

  it('runs explore() in node:test', async () => {
    const printed = await run(node, ['--test', '--test-reporter=tap', 'explore.test.cjs'], inject('bare'))

    expect(printed).toMatch(/^# pass 3$/m)
  })

  it('runs the installed command, which prints its help', async () => {
    const printed = await run(node, [join('node_modules', '.bin', 'payments-client'), '--help'], inject('bare'))

    expect(printed).toContain('Usage: payments-client')
  })
})

describe.each([
  ['module', 'js'],
  ['commonjs', 'cjs'],
])('the package as %s', (type, extension) => {
  it.each([
    ['payments-client', ['client', 'contract', 'index', 'shared', 'webhooks']],
    ['payments-client/webhooks', ['shared', 'webhooks']],
  ])('loads only the expected files and parts of zod when it imports %s', async (entry, names) => {
    const files = await filesLoaded(type, entry)

    expect(files.map((file) => basename(file)).sort()).toEqual(names.map((name) => `${name}.${extension}`))
    const code = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    // The minifier breaks long lines, also inside strings.
    const zodTypes = code
      .join('')
      .replaceAll('\\\n', '')
      .match(/(?<=")\$Zod\w+(?=")/g)
    expect([...new Set(zodTypes)].sort()).toEqual([
      '$ZodCheck',
      '$ZodError',
      '$ZodLiteral',
      '$ZodNumber',
      '$ZodString',
      '$ZodType',
      '$ZodUnknown',
    ])
  })
})

/** Returns the paths of the package's files that an import loads. */
async function filesLoaded(type: string, entry: string): Promise<string[]> {
  const program =
    type === 'commonjs'
      ? `require('${entry}'); const paths = Object.keys(require.cache)`
      : `import { registerHooks } from 'node:module'
        import { fileURLToPath } from 'node:url'
        const paths = []
        registerHooks({ load: (url, context, next) => (paths.push(fileURLToPath(url)), next(url, context)) })
        await import('${entry}')`
  const args = [`--input-type=${type}`, '--eval', `${program}\nconsole.log(JSON.stringify(paths))`]
  return JSON.parse(await run(process.execPath, args, inject('bare')))
}

describe('a bundle of a merchant’s program', () => {
  it('contains the code of the journal if the program creates one', async () => {
    const code = await bundle("export { createMemoryJournal } from 'payments-client'")

    expect(journalsCode.test(code)).toBe(true)
  })

  it('contains no code of the journal if the program creates none', async () => {
    const code = await bundle("export { PaymentsClient } from 'payments-client'")

    expect(journalsCode.test(code)).toBe(false)
  })
})

/** Matches two names that occur only in the journal's code: a state of operations and an option. */
const journalsCode = /needs_review|keyLifetime/

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: inject('bare') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    tsconfigRaw: {},
  })
  return outputFiles.map(({ text }) => text).join('\n')
}

it('a merchant’s program compiles with the package', async () => {
  const folder = inject('bare')
  const options = { module: 'nodenext', target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'] }
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipDefaultLibCheck: true, noEmit: true, types: [] }
  const config = join(folder, 'smoke.json')
  await writeFile(config, JSON.stringify({ compilerOptions: { ...options, ...strict }, files: ['merchant.mts'] }))

  await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '--project', config])
})
