import { readFile } from 'node:fs/promises'
import { expect, inject, it } from 'vitest'
import { entries } from '../../tsup.config.js'
import { run } from './consumer.js'

const result = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

it('package.json exports every entry, with types for both module formats', async () => {
  const { exports } = JSON.parse(await readFile('package.json', 'utf8'))
  const conditions = (name: string) => {
    const module = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
    const commonJs = { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` }
    return { import: module, 'module-sync': module, require: commonJs }
  }
  const names = Object.keys(entries).map((name) => [name === 'index' ? '.' : `./${name}`, conditions(name)])

  expect(exports).toEqual({
    ...Object.fromEntries(names),
    './openapi/*.json': './docs/openapi/*.json',
    './package.json': './package.json',
  })
})

it.each([
  ['msw2', 'msw.mjs'],
  ['msw2', 'msw.cjs'],
  ['msw3', 'msw.mjs'],
  ['msw3', 'msw.cjs'],
] as const)('the package creates a payment through %s in %s', async (folder, program) => {
  const printed = await run(process.execPath, [program], inject(folder))

  expect(JSON.parse(printed)).toEqual(result)
})
