/**
 * What a package weighs: in a consumer's bundle, in the consumer's compiler, in files loaded by an import, and on disk.
 * None of this varies from run to run.
 */
import { installation } from './installed.mjs'
import { bundleBytes } from './measure/bundle.mjs'
import { compilation } from './measure/compilation.mjs'
import { modulesLoaded } from './measure/modules.mjs'
import { programs } from './programs.mjs'

export async function weight() {
  const all = {}
  for (const name of Object.keys(programs)) all[name] = await weightOf(name)
  return all
}

export async function weightOf(name) {
  return {
    bundle: await bundleBytes(programs[name]),
    compilation: compilation(programs[name]),
    modules: modulesLoaded(name),
    installed: name.startsWith('payments-client/') ? undefined : installation(name),
  }
}
