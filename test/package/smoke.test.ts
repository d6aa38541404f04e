import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { compileFunction, createContext } from 'node:vm'
import { describe, expect, inject, it } from 'vitest'
import { entries } from '../../tsup.config.js'
import { run } from './consumer.js'

const nodes = {
  [`Node.js ${process.version}`]: process.execPath,
  'Node.js 26': resolve('test/frameworks/node_modules/node-26/bin/node'),
}
const result = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

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

describe('the package', () => {
  it('loads only once in programs that both import and require it', async () => {
    const printed = await evaluate(`const { createRequire } = await import('node:module')
      const required = createRequire(import.meta.url)
      const main = await import('payments-client')
      const { WebhookVerificationError } = required('payments-client/webhooks')
      console.log(main.ApiError === required('payments-client').ApiError,
        main.WebhookVerificationError === WebhookVerificationError,
        main.webhooks.WebhookVerificationError === WebhookVerificationError)`)

    expect(printed).toBe('true true true\n')
  })

  it.each([
    ['payments-client', ['client.ts'], /^(testing|cli)\//],
    ['payments-client/webhooks', ['webhooks/verify.ts'], /^(client\.|(core\/(resources|transport)|testing|cli)\/)/],
    ['payments-client/schemas', ['core/schemas/payment.ts'], /^(?!core\/(schemas|internal|errors))/],
  ])('loads only its own modules in %s', async (entry, expected, foreign) => {
    const { packages, modules } = await loadedBy(entry)

    expect(packages).toEqual(['payments-client', 'zod'])
    expect(modules).toEqual(expect.arrayContaining(expected))
    expect(modules.filter((module) => foreign.test(module))).toEqual([])
  })

  it('imports every CommonJS entry in a realm with only built-in language features', () => {
    const realm = createContext({})
    const modules = new Map<string, { exports: unknown }>()
    const load = (file: string): unknown => {
      const loaded = modules.get(file) ?? { exports: {} }
      if (modules.has(file)) return loaded.exports
      modules.set(file, loaded)
      const { resolve } = createRequire(file)
      const packages = new Map(Object.entries(entries).map(([name]) => [`payments-client/${name}`, name]))
      const require = (name: string) => load(packages.has(name) ? commonJs(packages.get(name)) : resolve(name))
      compileFunction(readFileSync(file, 'utf8'), ['exports', 'require', 'module', '__filename', '__dirname'], {
        filename: file,
        parsingContext: realm,
      })(loaded.exports, require, loaded, file, dirname(file))
      return loaded.exports
    }
    const commonJs = (name = '') => join(inject('bare'), `node_modules/payments-client/dist/${name}.cjs`)
    // These two entries import a package that the consumer has not installed.
    const names = Object.keys(entries).filter((name) => !['msw', 'opentelemetry'].includes(name))

    expect(names.map((name) => Object.keys(load(commonJs(name)) as object).length)).not.toContain(0)
  })
})

/** Runs an ES module in the consumer's folder, and returns its output. */
function evaluate(program: string): Promise<string> {
  return run(process.execPath, ['--input-type=module', '--eval', program], inject('bare'))
}

/** Returns the packages, and the modules of src, that an import loads. */
async function loadedBy(entry: string): Promise<{ packages: string[]; modules: string[] }> {
  const printed = await evaluate(`import { registerHooks } from 'node:module'
    import { fileURLToPath } from 'node:url'
    const paths = []
    registerHooks({ load: (url, context, next) => (paths.push(fileURLToPath(url)), next(url, context)) })
    await import('${entry}')
    console.log(JSON.stringify(paths))`)
  const files = (JSON.parse(printed) as string[]).map((path) => path.split(/node_modules[\\/]/)[1] ?? '')
  const ours = files.filter((file) => file.startsWith('payments-client'))
  const texts = ours.map((file) => readFileSync(join(inject('bare'), 'node_modules', file), 'utf8'))
  return {
    packages: [...new Set(files.map((file) => file.split(/[\\/]/)[0] ?? ''))].sort(),
    // The bundler writes a comment such as `// src/client.ts` before the code of each module.
    modules: texts.flatMap((text) => [...text.matchAll(/^\/\/ src\/(.*)$/gm)].map(([, module = '']) => module)),
  }
}

it('a merchant’s program compiles with the package', async () => {
  const folder = inject('bare')
  const options = { module: 'nodenext', target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'] }
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipDefaultLibCheck: true, noEmit: true, types: [] }
  const config = join(folder, 'smoke.json')
  await writeFile(config, JSON.stringify({ compilerOptions: { ...options, ...strict }, files: ['merchant.mts'] }))

  await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '--project', config])
})
