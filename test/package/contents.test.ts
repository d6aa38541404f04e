import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, inject, it } from 'vitest'
import { run } from './consumer.js'

const { tarball, files, unpackedSize } = inject('packed')
const installed = join(inject('bare'), 'node_modules', 'payments-client')

describe('the package', () => {
  it('holds the build and what a reader needs, and nothing else', () => {
    const built = /^dist\/([\w-]+\.(js|cjs|d\.ts|d\.cts)|third-party-licenses\.txt)$/
    const others = files.map(({ path }) => path).filter((path) => !built.test(path))

    expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
  })

  it('takes at most 1.5 MB when installed', () => {
    expect(unpackedSize).toBeLessThanOrEqual(1_500_000)
  })

  it('installs nothing else', async () => {
    const packages = await readdir(join(installed, '..'))

    expect(packages.filter((name) => !name.startsWith('.'))).toEqual(['payments-client'])
  })

  it('runs nothing when installed', async () => {
    const { scripts = {} } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))

    expect(Object.keys(scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(pre|post)?(install|prepare)$/)]),
    )
  })

  it('imports nothing but itself and what the runtime has; msw in its own entry', async () => {
    const foreign = (await imports()).filter(
      ({ file, imported }) => !/^(\.|node:)/.test(imported) && !(imported === 'msw' && file.startsWith('msw.')),
    )

    expect(foreign).toEqual([])
  })

  it('shows zod’s types to those who import the schemas, and to nobody else', async () => {
    const mentioning = (await distribution()).filter(
      ({ file, text }) => /\.d\.c?ts$/.test(file) && /\bZod\w+/.test(text),
    )

    expect(mentioning.map(({ file }) => file).sort()).toEqual(['schemas.d.cts', 'schemas.d.ts'])
  })

  it('names the licence of all that it has inlined', async () => {
    const licenses = await readFile(join(installed, 'dist', 'third-party-licenses.txt'), 'utf8')

    for (const name of ['ky', 'type-fest', 'zod']) expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+\n`, 'm'))
  })

  it('pleases publint', async () => {
    await run('publint', ['run', tarball, '--strict'])
  })

  it('has the right types for every way of importing it, says attw', async () => {
    await run('attw', [tarball, '--profile', 'node16', '--no-definitely-typed'])
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
