import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { installServers, startPostgres, startRedis } from './servers.js'

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string
    postgresUrl: string
  }
}

/** Installs the drivers and the servers, and starts the servers. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(new URL('node_modules', import.meta.url))) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: import.meta.dirname, stdio: 'inherit' })
  }
  await installServers()
  const servers = await Promise.all([startRedis(), startPostgres()])
  const [redis, postgres] = servers
  project.provide('redisUrl', redis.url)
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
