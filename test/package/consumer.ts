import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Run a program to its end; what it printed. A failure brings what it printed into the message. */
export async function run(program: string, args: readonly string[], cwd = process.cwd()): Promise<string> {
  try {
    return (await execute(program, args, { cwd, maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { message, stdout } = error as Error & { stdout?: string }
    throw new Error(`${message}\n${stdout}`)
  }
}

/** A folder of the system's, away from this checkout and its node_modules. */
export function emptyFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'payments-client-'))
}

export interface Packed {
  tarball: string
  unpackedSize: number
  files: { path: string }[]
}

/** What `npm publish` would upload. */
export async function pack(folder: string): Promise<Packed> {
  if (!existsSync('dist/third-party-licenses.txt')) throw new Error('there is no complete build: run `npm run build`')
  const answer = JSON.parse(await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]))
  const [packed] = Object.values<Packed & { filename: string }>(answer)
  if (!packed) throw new Error('npm packed nothing')
  return { tarball: join(folder, packed.filename), unpackedSize: packed.unpackedSize, files: packed.files }
}

/** A merchant's project that has the package installed, and besides only what the lockfile in `others` names. */
export async function createConsumer(tarball: string, others?: string): Promise<string> {
  const folder = await emptyFolder()
  if (others) await cp(others, folder, { recursive: true, filter: (file) => !file.includes('node_modules') })
  else await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }))
  if (others) await run('npm', ['ci', '--ignore-scripts'], folder)
  await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', tarball], folder)
  await cp('test/package/consumer', folder, { recursive: true })
  return folder
}

/** What a folder's own lockfile names, installed there unless it is. */
export async function fetchTools(folder: string): Promise<void> {
  const [lockfile, installed] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map(async (file) => {
      const found = await stat(join(folder, file)).catch(() => undefined)
      return found?.mtimeMs ?? 0
    }),
  )
  if ((installed ?? 0) < (lockfile ?? 0)) await run('npm', ['ci'], folder)
}

export function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true })
}

/** The machine's own Node.js; the one that runs the tests is the project's. */
export function machinesNode(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const found = folders.map((folder) => join(folder, 'node')).find(isProgram)
  if (!found) throw new Error('there is no Node.js on PATH apart from this project’s')
  return found
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
