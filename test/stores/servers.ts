import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// The import has an extension because the benchmarks load this file without a compiler.
import { installPackages } from '../support/debian.ts'

/** A database server with data in a temporary folder. */
export interface DatabaseServer {
  readonly url: string
  /** Kills the server and keeps its data. */
  kill(): Promise<void>
  /** Restarts a killed server on the same port. */
  restart(): Promise<void>
  /** Stops the server and deletes its data. */
  stop(): Promise<void>
}

/** Installs the drivers and libraries with npm, and missing servers with Debian's package manager. */
export async function installServers(): Promise<void> {
  const installed = (name: string) => existsSync(join(import.meta.dirname, 'node_modules', name))
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  if (!Object.keys(dependencies).every(installed)) {
    // `npm ci` fails if the registry lacks another platform's optional package.
    const install = ['install', '--no-save', '--no-audit', '--no-fund']
    execFileSync('npm', install, { cwd: import.meta.dirname, stdio: 'inherit' })
  }
  const generated = join(import.meta.dirname, 'node_modules/.prisma/client/schema.prisma')
  const schema = join(import.meta.dirname, 'schema.prisma')
  if (!existsSync(generated) || !readFileSync(generated).equals(readFileSync(schema))) {
    // Without the variable, Prisma would download an engine that it does not need for this command.
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' }
    const generate = ['node_modules/prisma/build/index.js', 'generate', '--schema', 'schema.prisma']
    execFileSync(process.execPath, generate, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'], env })
  }
  const missing = []
  if (!isInstalled('redis-server')) missing.push('redis-server')
  if ((await postgresFolder()) === undefined) missing.push('postgresql')
  installPackages(missing)
}

/** Starts Redis on a free port. Its data survives `kill`. */
export async function startRedis(more: Record<string, string> = {}): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'no', ...more }
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  let server: ChildProcess
  const restart = async () => {
    server = spawn('redis-server', options, { stdio: 'ignore' })
    await accepts(port)
  }
  const kill = async () => {
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  await restart()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart,
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts Redis in cluster mode, with an explicit port for the cluster bus. The default, 10,000 above the main port, may
 * not be a valid port.
 */
export async function startRedisNode(): Promise<DatabaseServer & { busPort: string }> {
  const busPort = String(await freePort())
  return { ...(await startRedis({ 'cluster-enabled': 'yes', 'cluster-port': busPort })), busPort }
}

/**
 * Starts PostgreSQL on a free port. Runs it as the user postgres if the tests run as root, because PostgreSQL rejects
 * root.
 */
export async function startPostgres(): Promise<DatabaseServer> {
  const bin = (await postgresFolder()) ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'))
  const port = await freePort()
  const isRoot = process.getuid?.() === 0
  if (isRoot) execFileSync('chown', ['postgres', folder])
  await chmod(folder, 0o700)
  const run = async (program: string, ...options: string[]) => {
    const command = [join(bin, program), ...options]
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
    const child = spawn(file as string, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: tmpdir() })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${program} failed with exit code ${code}`)
  }
  const data = join(folder, 'data')
  await run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale')
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
  const restart = () => run('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start')
  const kill = () => run('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
  await restart()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    kill,
    restart,
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

/** Returns the folder of PostgreSQL's programs on Debian, which depends on the version and is outside PATH. */
async function postgresFolder(): Promise<string | undefined> {
  const root = '/usr/lib/postgresql'
  const [newest] = existsSync(root) ? (await readdir(root)).sort((a, b) => Number(b) - Number(a)) : []
  if (newest !== undefined) return join(root, newest, 'bin')
  return (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, 'initdb')))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

async function accepts(port: number): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const connected = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy()))
      socket.on('error', () => resolve(undefined))
    })
    if (connected) return
    if (performance.now() > deadline) throw new Error(`Nothing accepts connections on port ${port}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
