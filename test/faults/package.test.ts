import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Manifest {
  scripts: Record<string, string>
  dependencies?: object
  optionalDependencies?: object
  bundleDependencies?: unknown
}

interface Lockfile {
  packages: Record<string, { resolved?: string; integrity?: string; link?: boolean; inBundle?: boolean }>
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))

describe('the package', () => {
  it('defines no install scripts', () => {
    const { scripts } = readJson<Manifest>('package.json')

    const onInstall = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
    expect(Object.keys(scripts).filter((name) => onInstall.includes(name))).toEqual([])
  })

  it('depends only on ky and zod', () => {
    const { dependencies, optionalDependencies, bundleDependencies } = readJson<Manifest>('package.json')

    expect(Object.keys(dependencies ?? {})).toEqual(['ky', 'zod'])
    expect([optionalDependencies, bundleDependencies]).toEqual([undefined, undefined])
  })

  it('includes only the build and its documentation', () => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' })
    const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }]

    const known =
      /^(dist\/[\w-]+\.(js|js\.map|cjs|d\.ts|d\.cts)|dist\/inspector\/\w+\.(js|css|html|svg)|docs\/openapi\/[\w.-]+\.json|(docs|examples)\/[\w/.-]+\.(md|ts)|docs\/[\w/-]+\.(webp|svg)|docs\/guides\/[\w-]+\.(json|yaml)|skills\/payments-client\/SKILL\.md|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/
    expect(files.map(({ path }) => path).filter((path) => !known.test(path))).toEqual([])
  })

  it('uses only build tools with an integrity hash in the lockfile', () => {
    const { packages } = readJson<Lockfile>('package-lock.json')
    const installed = Object.entries(packages).filter(([path, { link, inBundle }]) => path !== '' && !link && !inBundle)

    expect(installed.length).toBeGreaterThan(10)
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
  })
})
