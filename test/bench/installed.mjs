/** Installs the built package next to the packages that it is compared with, so that benchmarks import it as merchants do. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fetchTools } from '../package/consumer.ts'

export const root = resolve(import.meta.dirname, '../..')
export const bench = import.meta.dirname

/** The folder for the benchmarks' temporary files. */
export const scratch = join(bench, '.scratch')

/** Installs the files that `npm publish` would upload, and returns the package's folder. */
export function installOurs() {
  if (!existsSync(join(root, 'dist'))) throw new Error('The build is missing: run `npm run build` first')
  const folder = join(bench, 'node_modules/payments-client')
  const packed = npm('pack', '--dry-run', '--json', '--ignore-scripts')
  const [{ files }] = JSON.parse(packed)
  rmSync(folder, { recursive: true, force: true })
  for (const { path } of files) cpSync(join(root, path), join(folder, path))
  return folder
}

/** Installs stripe, which the tests of tools also contain. */
export async function installStripe() {
  const tools = join(root, 'test/tools')
  await fetchTools(tools)
  const link = join(bench, 'node_modules/stripe')
  rmSync(link, { recursive: true, force: true })
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join(tools, 'node_modules/stripe'), link)
}

/** Returns how many packages are installed for `name`, including itself, their total size, and its own size. */
export function installation(name) {
  const packages = new Map()
  collect(name, bench)
  const [ownBytes = 0] = packages.values()
  return { packages: packages.size, bytes: [...packages.values()].reduce((sum, bytes) => sum + bytes, 0), ownBytes }

  function collect(dependency, from) {
    const folder = folderOf(dependency, from)
    if (folder === undefined || packages.has(folder)) return
    packages.set(folder, bytesOf(folder))
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) collect(name, folder)
  }
}

function folderOf(name, from) {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
  }
  return undefined
}

/** Returns the size of a package's own files in bytes. */
function bytesOf(folder) {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) bytes += statSync(path).size
    else if (entry.isDirectory() && entry.name !== 'node_modules') bytes += bytesOf(path)
  }
  return bytes
}

function npm(...args) {
  return execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
}
