import { readFile } from 'node:fs/promises'
import { describe, expect, inject, it } from 'vitest'
import { entries } from '../../scripts/entries.js'
import { machinesNode, run } from './consumer.js'

const nodes = { 'the project’s Node.js': process.execPath, 'the installed Node.js': machinesNode() }
const result = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

it('package.json exports every entry, with types for every module resolution', async () => {
  const { exports, typesVersions } = JSON.parse(await readFile('package.json', 'utf8'))
  const names = Object.keys(entries).filter((name) => name !== 'index')
  const format = (name: string, [code, types]: readonly string[]) => ({
    types: `./dist/${name}.${types}`,
    default: `./dist/${name}.${code}`,
  })
  const exported = (name: string) => ({ import: format(name, ['js', 'd.ts']), require: format(name, ['cjs', 'd.cts']) })

  expect(exports).toEqual({
    '.': exported('index'),
    ...Object.fromEntries(names.map((name) => [`./${name}`, exported(name)])),
    './openapi/*.json': './dist/openapi/*.json',
    './package.json': './package.json',
  })
  expect(typesVersions).toEqual({
    '*': Object.fromEntries(names.map((name) => [name, [`./dist/${name}.d.cts`]])),
  })
})

describe.each(Object.entries(nodes))('the package on %s', (_, node) => {
  it.each(['msw.mjs', 'msw.cjs'])('creates a payment through msw 2 in %s', async (program) => {
    const printed = await run(node, [program], inject('msw2'))

    expect(JSON.parse(printed)).toEqual(result)
  })
})

it.each(['msw.mjs', 'msw.cjs'])('the package creates a payment through msw 3 in %s', async (program) => {
  // msw 3 requires Node.js 22.
  const printed = await run(process.execPath, [program], inject('msw3'))

  expect(JSON.parse(printed)).toEqual(result)
})
