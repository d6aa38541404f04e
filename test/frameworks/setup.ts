import { cp, rm, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { copyBuild, fetchTools } from '../package/consumer.js'
import { installServers, startPostgres } from '../stores/servers.js'
import { writeGuides } from './guides.js'

const folder = 'test/frameworks'

/**
 * Installs the frameworks, the runtimes and the built package, and writes the servers of guides and examples beside
 * them. Starts PostgreSQL.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await fetchTools(folder)
  await copyBuild(folder)
  await installServers()
  for (const name of ['pg', '@types/pg']) {
    const link = join(folder, 'node_modules', name)
    await rm(link, { recursive: true, force: true })
    await symlink(resolve('test/stores/node_modules', name), link)
  }
  await rm(join(folder, '.apps'), { recursive: true, force: true })
  await cp('examples/webhooks', join(folder, '.apps'), { recursive: true })
  writeGuides(join(folder, '.apps/guides'))
  await cp(join(folder, 'mistakes'), join(folder, '.apps/mistakes'), { recursive: true })
  for (const file of ['lambda-types.ts', 'run-worker.mjs']) await cp(join(folder, file), join(folder, '.apps', file))
  await cp(join(folder, 'apps.tsconfig.json'), join(folder, '.apps/tsconfig.json'))
  await writeFile(join(folder, '.apps/package.json'), JSON.stringify({ type: 'module' }))
  const postgres = await startPostgres()
  project.provide('postgresUrl', postgres.url)
  return () => postgres.stop()
}
