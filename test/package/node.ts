import { resolve } from 'node:path'
import { fetchTools } from './consumer.ts'

/** The major version of the dev dependency `node`, which runs all npm scripts. */
export const projectsVersion = process.version.slice(1).split('.')[0] as string

/** The other Node versions that the package supports. */
const others = ['22', '24', '26'].filter((version) => version !== projectsVersion)

/** The only other version that the gate needs. */
const newest = '26'

/** Returns the path of a Node.js version. Installs it if it is missing. */
export async function nodeProgram(version: string): Promise<string> {
  if (version === projectsVersion) return process.execPath
  if (!others.includes(version)) throw new Error(`--node must be one of 22, 24, 26, not ${version}`)
  await fetchTools('test/frameworks', version === newest ? ['--omit=dev'] : [])
  return resolve(`test/frameworks/node_modules/node-${version}/bin/node`)
}
