import type { TestProject } from 'vitest/node'
import { createConsumer, emptyFolder, type Packed, pack, remove, shareTools } from './consumer.js'

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed
    /** A project with only this package. */
    bare: string
    /** A project that also has the newest `msw` and `@types/node`. */
    msw3: string
    /** A project that also has the oldest supported `msw`. */
    msw2: string
  }
}

/** Packs dist/, installs it as a merchant would, and installs the compilers, validators and runtimes. */
export default async function setup(project: TestProject) {
  const folder = await emptyFolder()
  const packed = await pack(folder)
  const [bare, msw3, msw2] = await Promise.all([
    createConsumer(packed.tarball),
    createConsumer(packed.tarball, 'msw@3.0.5', '@types/node@24.19.2'),
    createConsumer(packed.tarball, 'msw@2.0.0'),
    shareTools('test/frameworks', 'test/package/validators'),
  ])
  project.provide('packed', packed)
  project.provide('bare', bare)
  project.provide('msw3', msw3)
  project.provide('msw2', msw2)
  return () => Promise.all([folder, bare, msw3, msw2].map(remove))
}
