import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program and returns its output. If it fails, the error message contains the output. */
export async function run(
  program: string,
  args: readonly string[],
  cwd = process.cwd(),
  env: Record<string, string> = {},
): Promise<string> {
  try {
    return (await execute(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { message, stdout } = error as Error & { stdout?: string }
    throw new Error(`${message}\n${stdout}`)
  }
}

/** Creates a temporary folder outside this checkout, so that programs cannot find its node_modules. */
export function emptyFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'payments-client-'))
}

export interface Packed {
  tarball: string
  unpackedSize: number
  files: { path: string }[]
}

/** Creates the tarball that `npm publish` would upload. */
export async function pack(folder: string): Promise<Packed> {
  if (!existsSync('dist')) throw new Error('The build is missing: run `npm run build`')
  const report = JSON.parse(await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]))
  const [packed] = Object.values<Packed & { filename: string }>(report)
  if (!packed) throw new Error('npm pack reported no package')
  return { tarball: join(folder, packed.filename), unpackedSize: packed.unpackedSize, files: packed.files }
}

/** Copies the build into a folder with other installed packages. This is much faster than an installation with npm. */
export async function copyBuild(folder: string): Promise<void> {
  if (!existsSync('dist/webhooks.js')) throw new Error('Run `npm run build` first')
  const installed = join(folder, 'node_modules/payments-client')
  await remove(installed)
  for (const path of ['dist', 'package.json']) await cp(path, join(installed, path), { recursive: true })
}

/** Creates a merchant's project with the package and the given other packages. */
export async function createConsumer(tarball: string, ...others: string[]): Promise<string> {
  const folder = await emptyFolder()
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }))
  await npmInstall(folder, '--ignore-scripts', tarball, ...others)
  await cp('test/package/consumer', folder, { recursive: true })
  return folder
}

/**
 * Installs the packages in a folder's lockfile and in `args`. Retries failed requests to the registry.
 *
 * Does not use `npm ci`, which rejects a lockfile without other platforms' optional packages.
 */
export async function npmInstall(folder: string, ...args: readonly string[]): Promise<void> {
  const flags = ['--no-save', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=5']
  await run('npm', ['install', ...flags, ...args], folder)
}

/**
 * Installs the packages in a folder's lockfile unless they are up to date. With `--omit=dev` in `flags`, installs only
 * the packages that the gate needs. The dev dependencies are for nightly checks.
 */
export async function fetchTools(folder: string, flags: readonly string[] = []): Promise<void> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const wanted = Object.keys({ ...dependencies, ...(!flags.includes('--omit=dev') && devDependencies) })
  const [lockfile, installed] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map(async (file) => {
      const found = await stat(join(folder, file)).catch(() => undefined)
      return found?.mtimeMs ?? 0
    }),
  )
  const isMissing = wanted.some((name) => !existsSync(join(folder, 'node_modules', name)))
  if (isMissing || (installed ?? 0) < (lockfile ?? 0)) await npmInstall(folder, ...flags)
}

/**
 * Installs the packages of a folder, and lets the programs in another folder import these packages, so that the other
 * folder needs no lockfile.
 */
export async function shareTools(folder: string, user: string): Promise<void> {
  await fetchTools(folder)
  await rm(join(user, 'node_modules'), { recursive: true, force: true })
  await symlink(resolve(folder, 'node_modules'), join(user, 'node_modules'))
}

export function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true })
}
