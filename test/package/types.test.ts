import { copyFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { run } from './consumer.js'

const compilers = ['5.9', '6', '7']
const resolutions = { nodenext: 'nodenext', node16: 'node16', bundler: 'preserve' }
const dom = ['dom', 'dom.iterable', 'dom.asynciterable']

beforeAll(async () => {
  for (const program of ['merchant', 'mocked']) {
    for (const folder of [inject('bare'), inject('msw3')]) {
      await copyFile(join(folder, `${program}.mts`), join(folder, `${program}.cts`))
    }
  }
})

describe.each(compilers)('TypeScript %s', (compiler) => {
  describe.each(Object.entries(resolutions))('moduleResolution %s', (moduleResolution, module) => {
    describe.each(Object.entries(programs(moduleResolution)))('compiles %s', (_, { folder, lib, types, files }) => {
      it.each([true, false])('exactOptionalPropertyTypes %s', async (exactOptionalPropertyTypes) => {
        const resolution = { module, moduleResolution, lib: ['es2023', ...lib], types }
        const strictness = { strict: true, exactOptionalPropertyTypes, skipLibCheck: false }
        const output = { target: 'es2022', declaration: true, outDir: 'compiled' }
        const compilerOptions = { ...resolution, ...strictness, ...output }
        const project = `tsconfig.${compiler}.${moduleResolution}.${types}.${files[0]}.${exactOptionalPropertyTypes}.json`
        await writeFile(join(folder, project), JSON.stringify({ compilerOptions, files }))

        expect(await compile(compiler, join(folder, project))).toBe('')
      })
    })
  })
})

function programs(moduleResolution: string) {
  const merchant = ['merchant.mts', 'merchant.cts']
  // msw 3 has ES modules only, and node16 does not let CommonJS import them.
  const mocked = moduleResolution === 'node16' ? ['mocked.mts'] : ['mocked.mts', 'mocked.cts']
  return {
    'a merchant’s, with only the DOM’s types': { folder: inject('bare'), lib: dom, types: [], files: merchant },
    'a merchant’s, with only Node.js’s types': { folder: inject('msw3'), lib: [], types: ['node'], files: merchant },
    'one with msw, which needs both': { folder: inject('msw3'), lib: dom, types: ['node'], files: mocked },
  }
}

function compile(compiler: string, project: string): Promise<string> {
  const program = resolve('test/package/compilers/node_modules', `typescript-${compiler}`, 'bin/tsc')
  return run(process.execPath, [program, '--project', project])
}
