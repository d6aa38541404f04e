import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createConsumer, remove, run } from './consumer.js'

const result = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

it.each([
  ['esm.mjs', 'esm'],
  ['cjs.cjs', 'cjs'],
] as const)('a minified bundle of esbuild creates a payment: %s', async (program, format) => {
  const folder = inject('bare')
  const file = `bundled-${program}`
  const entryPoints = [join(folder, program)]
  const options = {
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node22',
    write: false,
    tsconfigRaw: {},
  } as const
  const { outputFiles, warnings } = await build({ ...options, entryPoints, format })
  await writeFile(join(folder, file), outputFiles[0]?.contents ?? '')

  expect(warnings).toEqual([])
  expect(JSON.parse(await run(process.execPath, [file], folder))).toEqual(result)
})

it('a bundle of webpack 5 creates a payment', async () => {
  const folder = await createConsumer(inject('packed').tarball, 'webpack@5.113.0')
  onTestFinished(() => remove(folder))

  await run(process.execPath, ['webpack.mjs'], folder)

  expect(JSON.parse(await run(process.execPath, ['webpack.cjs'], folder))).toEqual(result)
})
