import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { copyBuild, fetchTools, remove } from '../package/consumer.js'
import { createCertificates } from './certificates.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the certificates and their keys. */
    certificates: string
  }
}

/** Installs the tools and the build, and creates the certificates. */
export default async function setup(project: TestProject) {
  await fetchTools('test/tools', process.env['QUICK'] ? ['--omit=dev'] : [])
  await copyBuild('test/tools')
  const certificates = await mkdtemp(join(tmpdir(), 'certificates-'))
  await createCertificates(certificates)
  project.provide('certificates', certificates)
  return () => remove(certificates)
}
