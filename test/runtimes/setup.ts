import type { TestProject } from 'vitest/node'
import { createConsumer, emptyFolder, fetchTools, pack, remove } from '../package/consumer.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** A merchant's project with this package only. */
    consumer: string
  }
}

/** Packs dist/, installs it as a merchant would, and installs the runtimes. */
export default async function setup(project: TestProject) {
  const folder = await emptyFolder()
  const { tarball } = await pack(folder)
  const [consumer] = await Promise.all([createConsumer(tarball), fetchTools('test/runtimes')])
  project.provide('consumer', consumer)
  return () => Promise.all([folder, consumer].map(remove))
}
