import { copyFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { run } from './consumer.js'

const dom = ['dom', 'dom.iterable', 'dom.asynciterable']
const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
const output = { target: 'es2022', declaration: true, outDir: 'compiled' }

beforeAll(async () => {
  for (const program of ['merchant', 'mocked']) {
    for (const folder of [inject('bare'), inject('msw3'), inject('msw2')]) {
      await copyFile(join(folder, `${program}.mts`), join(folder, `${program}.cts`))
    }
  }
})

describe.each(['5.9', '6', '7'])('TypeScript %s', (compiler) => {
  describe.each([
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['bundler', 'preserve'],
  ])('with moduleResolution %s', (moduleResolution, module) => {
    const merchant = ['merchant.mts', 'merchant.cts']
    // msw 3 has ES modules only, and CommonJS cannot import them under node16.
    const mocked = moduleResolution === 'node16' ? ['mocked.mts'] : ['mocked.mts', 'mocked.cts']

    it.each([
      ['a program with only the DOM’s types', { folder: inject('bare'), lib: dom, types: [], files: merchant }],
      ['a program with only Node’s types', { folder: inject('msw3'), lib: [], types: ['node'], files: merchant }],
      ['a program with msw', { folder: inject('msw3'), lib: dom, types: ['node'], files: mocked }],
    ])('compiles %s', async (_, { folder, lib, types, files }) => {
      const resolution = { module, moduleResolution, lib: ['es2023', ...lib], types }

      expect(await compile(compiler, folder, { ...resolution, ...strict, ...output }, files)).toBe('')
    })
  })

  it('compiles a program without exactOptionalPropertyTypes', async () => {
    const resolution = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023', ...dom], types: [] }
    const options = { ...resolution, ...strict, exactOptionalPropertyTypes: false, ...output }

    expect(await compile(compiler, inject('bare'), options, ['merchant.mts'])).toBe('')
  })
})

// TypeScript 7 no longer has this resolution.
describe.each([
  ['5.9', {}],
  ['6', { ignoreDeprecations: '6.0' }],
])('TypeScript %s with moduleResolution node10', (compiler, deprecations) => {
  const resolution = { module: 'commonjs', moduleResolution: 'node10', lib: ['es2023', ...dom], types: [] }

  it.each([
    ['the client, webhooks, schemas and the sandbox', inject('bare'), 'merchant.cts', {}],
    // The types of msw 2 itself need later libraries.
    ['msw', inject('msw2'), 'mocked.cts', { skipLibCheck: true }],
  ])('finds the types of %s', async (_, folder, file, leniency) => {
    const options = { ...resolution, ...strict, ...output, ...deprecations, ...leniency }

    expect(await compile(compiler, folder, options, [file])).toBe('')
  })
})

/** Returns what the compiler prints: nothing, if the program is valid. */
async function compile(compiler: string, folder: string, compilerOptions: object, files: readonly string[]) {
  const project = join(folder, `tsconfig.${crypto.randomUUID()}.json`)
  await writeFile(project, JSON.stringify({ compilerOptions, files }))
  const program = resolve('test/package/compilers/node_modules', `typescript-${compiler}`, 'bin/tsc')
  return run(process.execPath, [program, '--project', project])
}
