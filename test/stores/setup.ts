import type { TestProject } from 'vitest/node'
import { copyBuild } from '../package/consumer.js'
import { installServers, startPostgres, startRedis } from './servers.js'

declare module 'vitest' {
  interface ProvidedContext {
    redisUrl: string
    postgresUrl: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installServers()
  await copyBuild(import.meta.dirname)
  const servers = await Promise.all([startRedis(), startPostgres()])
  const [redis, postgres] = servers
  project.provide('redisUrl', redis.url)
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
