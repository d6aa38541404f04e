import { copyFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, expect, inject, it } from 'vitest'
import { run } from './consumer.js'

const dom = { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }
const node = { lib: ['es2023'], types: ['node'] }
const both = { ...dom, ...node, lib: dom.lib }
const merchant = ['merchant.mts', 'merchant.cts']
const mocked = ['mocked.mts', 'mocked.cts']
const folders = { bare: inject('bare'), msw3: inject('msw3') }

interface Project {
  name: string
  folder: string
  files: string[]
  options: object
}

/** Merchant programs for each module resolution: with the DOM types, with the Node types, and with both plus msw. */
const projects: Project[] = [
  ...[
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['bundler', 'preserve'],
  ].flatMap(([moduleResolution, module]) => {
    const project = (name: string, folder: string, files: string[], options: object) => ({
      name: `${moduleResolution}-${name}`,
      folder,
      files,
      options: { module, moduleResolution, ...options },
    })
    return [
      project('dom', folders.bare, merchant, dom),
      project('node', folders.msw3, merchant, node),
      // CommonJS cannot import msw 3 under node16, because msw 3 contains only ES modules.
      project('msw', folders.msw3, moduleResolution === 'node16' ? ['mocked.mts'] : mocked, both),
    ]
  }),
  // This option is tested with one module resolution, because the resolution does not affect it.
  {
    name: 'inexact',
    folder: folders.bare,
    files: ['merchant.mts'],
    options: { module: 'nodenext', ...dom, exactOptionalPropertyTypes: false },
  },
  // The compiler must write declarations of exports whose types it infers. Each program is compiled alone, because an
  // import in another program could also make these types accessible.
  ...['generic', 'samples', 'schemas'].map((name) => ({
    name,
    folder: folders.bare,
    files: [`${name}.mts`],
    options: { module: 'nodenext', ...dom },
  })),
]

beforeAll(async () => {
  for (const folder of Object.values(folders)) {
    for (const name of ['merchant', 'mocked']) await copyFile(join(folder, `${name}.mts`), join(folder, `${name}.cts`))
  }
})

const programs = {
  '5.9': 'test/frameworks/node_modules/typescript-5.9',
  '6': 'node_modules/typescript',
  '7': 'node_modules/typescript-7',
}

it.each(Object.entries(programs))(
  'TypeScript %s compiles programs with every module resolution',
  async (name, path) => {
    const configs = await Promise.all(projects.map((project) => configure(name, project)))
    const program = resolve(path, 'bin/tsc')

    // Compiles all projects in one process, which takes a third of the time. The output contains each error's project.
    const printed = await run(process.execPath, [program, '--build', '--verbose', ...configs])

    expect(printed.match(/Building project/g)).toHaveLength(configs.length)
  },
)

async function configure(compiler: string, { name, folder, files, options }: Project): Promise<string> {
  const config = join(folder, `${compiler}-${name}.json`)
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, skipDefaultLibCheck: true }
  const output = { target: 'es2022', declaration: true, outDir: `compiled/${compiler}-${name}` }
  await writeFile(config, JSON.stringify({ compilerOptions: { ...strict, ...output, ...options }, files }))
  return config
}
