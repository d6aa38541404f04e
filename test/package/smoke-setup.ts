import type { TestProject } from 'vitest/node'
import { createConsumer, emptyFolder, fetchTools, pack, remove } from './consumer.js'

/** Packs dist/, and installs it as a merchant would. */
export default async function setup(project: TestProject) {
  const folder = await emptyFolder()
  const packed = await pack(folder)
  const [bare] = await Promise.all([createConsumer(packed.tarball), fetchTools('test/frameworks', ['--omit=dev'])])
  project.provide('packed', packed)
  project.provide('bare', bare)
  return () => Promise.all([folder, bare].map(remove))
}
