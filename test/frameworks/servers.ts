import { writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { run } from '../package/consumer.js'
import { type App, apps, folder, start } from './app.js'

type Environment = Readonly<Record<string, string>>

/** A server that receives webhooks at `/webhooks`. */
export interface Server {
  readonly name: string
  /** The section of docs/guides/frameworks.md that contains the server's code. */
  readonly guide?: string
  /** @default 'sqlite' */
  readonly database?: 'postgres'
  /** Whether the server exits with code 0 after SIGTERM. */
  readonly endsOnSigterm?: boolean
  start(env?: Environment): Promise<App>
}

export const program =
  (file: string, fixed?: Environment): Server['start'] =>
  (env) =>
    start(['--import', 'tsx', file], { env: { ...fixed, ...env } })

const runtime = (name: string, ...args: string[]): Server['start'] => {
  const program = join(folder, 'node_modules/.bin', name)
  return (env) =>
    start(args, { program, cwd: join(apps, 'guides/bun-deno-and-cloudflare-workers'), ...(env && { env }) })
}

export const servers: readonly Server[] = [
  { name: 'Express', guide: 'express', start: program('guides/express/server.ts'), endsOnSigterm: true },
  { name: 'Express with express.json() first', start: program('express-json-first.ts') },
  { name: 'Fastify', guide: 'fastify', start: program('guides/fastify/server.ts'), endsOnSigterm: true },
  { name: 'Hono', guide: 'hono', start: program('guides/hono/server.ts'), endsOnSigterm: true },
  { name: 'NestJS on Express', guide: 'nestjs', start: program('guides/nestjs/main.ts') },
  { name: 'NestJS on Fastify', guide: 'nestjs', start: program('guides/nestjs/nest-fastify.ts') },
  { name: 'node:http', guide: 'nodehttp', start: program('guides/nodehttp/server.ts'), endsOnSigterm: true },
  {
    name: 'AWS Lambda',
    guide: 'aws-lambda',
    database: 'postgres',
    start: program('guides/aws-lambda-postgres/lambda-local.ts'),
  },
  { name: 'Next.js', guide: 'nextjs', start: startNext },
  { name: 'Bun', guide: 'bun-deno-and-cloudflare-workers', start: runtime('bun', '--port', '0', 'server.ts') },
  {
    name: 'Deno',
    guide: 'bun-deno-and-cloudflare-workers',
    start: runtime('deno', 'serve', '--port', '0', '--allow-all', 'server.ts'),
  },
  {
    name: 'Cloudflare Workers',
    guide: 'bun-deno-and-cloudflare-workers',
    database: 'postgres',
    start: startWorker('guides/bun-deno-and-cloudflare-workers-postgres/server.ts'),
  },
]

const nextApp = join(apps, 'guides/nextjs')
const next = join(folder, 'node_modules/next/dist/bin/next')
// If CI is set, Next.js reports a missing package instead of installing it.
const nextSettings = { NEXT_TELEMETRY_DISABLED: '1', CI: '1' }
let nextBuild: Promise<unknown> | undefined

async function startNext(env?: Environment): Promise<App> {
  nextBuild ??= buildNext()
  await nextBuild
  return start([next, 'start', '-p', '0'], { cwd: nextApp, env: { ...nextSettings, ...env } })
}

/** Builds without secrets, as on a build server. The root contains the dependencies of the package. */
function buildNext(): Promise<unknown> {
  const config = { turbopack: { root: process.cwd() } }
  writeFileSync(join(nextApp, 'next.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  return run(process.execPath, [next, 'build'], nextApp, { ...nextSettings, NODE_ENV: 'production' })
}

/** Returns a function that bundles a worker and runs it in workerd. */
export function startWorker(file: string): Server['start'] {
  return async (env) => {
    const bundle = await build({
      entryPoints: [join(apps, file)],
      bundle: true,
      format: 'esm',
      write: false,
      conditions: ['workerd'],
      external: ['node:*', 'cloudflare:*'],
      plugins: [nodeModules],
    })
    const script = join(apps, `${file.replaceAll(/\W/g, '-')}.mjs`)
    writeFileSync(script, bundle.outputFiles[0]?.text ?? '')
    const app = await start(['run-worker.mjs', script], env && { env })
    // Always sends SIGTERM, because after SIGKILL the worker would continue to run in its own process.
    return { ...app, stop: () => app.stop('SIGTERM') }
  }
}

/** Replaces `require` of Node's modules with an import, as wrangler does. */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup(build) {
    const filter = new RegExp(`^(${builtinModules.join('|')})$`)
    build.onResolve({ filter }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'required' } : { path: `node:${path}`, external: true },
    )
    build.onLoad({ filter, namespace: 'required' }, ({ path }) => ({
      contents: `import module_ from 'node:${path}'; module.exports = module_`,
    }))
  },
}
