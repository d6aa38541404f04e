import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, inject, it } from 'vitest'
import { carts } from '../../src/core/contract/version.js'
import { run } from './consumer.js'

const { tarball, files } = inject('packed')
const validator = (name: string) => resolve('test/frameworks/node_modules/.bin', name)
const installed = join(inject('bare'), 'node_modules', 'payments-client')

describe('the npm package', () => {
  it('installs only itself, ky and zod', async () => {
    const packages = await readdir(join(installed, '..'))

    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['ky', 'payments-client', 'zod'])
  })

  it('contains every page and program that its Markdown pages link to', async () => {
    const shipped = new Set(files.map(({ path }) => path))
    const pages = [...shipped].filter((path) => path.endsWith('.md'))
    const broken = []
    for (const page of pages) {
      const text = await readFile(join(installed, page), 'utf8')
      const links = text.matchAll(/(?<!!)\[[^\]]*\]\(([^)#:]+)(?:#[^)]*)?\)/g)
      const targets = [...links].map(([, target = '']) => join(dirname(page), target).replace(/\/$/, ''))
      const isShipped = (target: string) =>
        [...shipped].some((path) => path === target || path.startsWith(`${target}/`))
      broken.push(...targets.filter((target) => !isShipped(target)).map((target) => `${page}: ${target}`))
    }

    expect(pages.length).toBeGreaterThan(10)
    expect(broken).toEqual([])
  })

  it('contains the skill in the folder where coding agents look for it', () => {
    const skills = files.map(({ path }) => path).filter((path) => path.endsWith('SKILL.md'))

    expect(skills).toEqual(['skills/payments-client/SKILL.md'])
  })

  it('contains an OpenAPI document for each API version', async () => {
    for (const version of Object.keys(carts)) {
      const resolved = `require.resolve('payments-client/openapi/${version}.json')`
      const path = await run('node', ['-p', resolved], inject('bare'))
      expect(JSON.parse(await readFile(path.trim(), 'utf8')).info.version).toBe(version)
    }
  })

  it('imports only itself, ky and zod, and optional packages in their own entries', async () => {
    const foreign = (await imports()).filter(({ imported }) => !/^(\.|node:)/.test(imported))
    const optional = foreign.filter(({ imported }) => !/^(ky|zod|payments-client)\b/.test(imported))

    expect([...new Set(optional.map(({ file, imported }) => `${file.split('.')[0]}: ${imported}`))].sort()).toEqual([
      'msw: msw',
      'opentelemetry: @opentelemetry/api',
    ])
  })

  it('imports built-in modules only in the command-line tool', async () => {
    const files = (await imports()).filter(({ imported }) => imported.startsWith('node:')).map(({ file }) => file)

    expect([...new Set(files)]).toEqual(['cli.js'])
  })

  it("imports zod's types only in the schemas entry", async () => {
    const types = (await imports()).filter(({ file, imported }) => /\.d\.c?ts$/.test(file) && /^zod/.test(imported))

    expect(types.map(({ file }) => file).sort()).toEqual(['schemas.d.cts', 'schemas.d.ts'])
  })

  it('bundles ky and its licence into CommonJS, because require cannot load ky', async () => {
    const commonJs = (await distribution()).filter(({ file }) => file.endsWith('.cjs'))

    expect(commonJs.filter(({ text }) => /\bMIT License © Sindre Sorhus\b/.test(text))).toHaveLength(1)
    expect((await imports()).filter(({ file, imported }) => file.endsWith('.cjs') && imported === 'ky')).toEqual([])
  })

  it('contains no path of the machine that built it', async () => {
    const texts = await distribution()

    expect(texts.filter(({ text }) => text.includes(process.cwd())).map(({ file }) => file)).toEqual([])
  })

  it('passes publint', async () => {
    await run(validator('publint'), ['run', tarball, '--strict'])
  })

  it('passes attw, which checks its types for every module format', async () => {
    await run(validator('attw'), [tarball, '--profile', 'node16', '--no-definitely-typed'])
  })
})

async function distribution(): Promise<{ file: string; text: string }[]> {
  const folder = join(installed, 'dist')
  const names = (await readdir(folder)).filter((name) => /\.(js|cjs|ts|cts)$/.test(name))
  return Promise.all(names.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })))
}

async function imports(): Promise<{ file: string; imported: string }[]> {
  return (await distribution()).flatMap(({ file, text }) =>
    ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({ file, imported: fileName })),
  )
}
