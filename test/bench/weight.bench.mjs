/**
 * Measures the bundle size, the compiler's work, the files that an import loads, and the installed size. The results
 * are the same in every run.
 */
import { installation } from './installed.mjs'
import { bundleBytes } from './measure/bundle.mjs'
import { compilation } from './measure/compilation.mjs'
import { modulesLoaded } from './measure/modules.mjs'
import { programs } from './programs.mjs'

export async function weight({ quick }) {
  const all = {}
  const names = Object.keys(programs)
  for (const name of quick ? names.slice(0, 2) : names) all[name] = await weightOf(name)
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
