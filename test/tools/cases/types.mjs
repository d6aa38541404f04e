import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { blocksOf, installedName } from '../recipe.mjs'

const folder = join(import.meta.dirname, '..')
const project = createRequire(join(folder, '../../package.json'))

/** Code that uses the options in the guide's tables. */
const tables = `
import nodeFetch from 'node-fetch'
import { PaymentsClient } from 'payments-client'
import * as undici6 from 'undici6'
import * as undici7 from 'undici7'
import * as undici8 from 'undici8'

new PaymentsClient({ fetch: undici6.fetch })
new PaymentsClient({ fetch: undici7.fetch })
new PaymentsClient({ fetch: undici8.fetch })
new PaymentsClient({ fetch: nodeFetch })
new PaymentsClient({ fetch: (url, init) => fetch(url, init) })
new PaymentsClient({ logger: console })
`

/** Compiles the guides' code blocks with the types of the imported packages. */
export default () => ({
  async compile() {
    const programs = await mkdtemp(join(folder, 'types-'))
    try {
      const blocks = ['going-live.md', 'observability.md'].flatMap(blocksOf).filter((code) => code.includes('import '))
      assert.ok(blocks.length >= 8)
      const code = [tables, ...blocks]
      const files = code.map((_, index) => join(programs, `block-${index}.mts`))
      await Promise.all(files.map((file, index) => writeFile(file, resolved(code[index]))))
      const types = join(dirname(project.resolve('@types/node/package.json')), '..')
      const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']
      const args = [...flags, '--target', 'es2023', '--types', 'node', '--typeRoots', types, ...files]
      await promisify(execFile)(process.execPath, [
        join(dirname(project.resolve('typescript-7/package.json')), 'bin/tsc'),
        ...args,
      ]).catch(({ stdout }) => assert.fail(stdout))
    } finally {
      await rm(programs, { recursive: true })
    }
  },
})

/** Replaces each imported package's name with the alias under which it is installed. */
function resolved(code) {
  return code.replace(/from '([^']+)'/g, (_, name) => `from '${installedName(name)}'`)
}
