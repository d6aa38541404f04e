import { execFileSync } from 'node:child_process'
import { bench } from '../installed.mjs'

/** Counts the files that an import loads, their bytes, and the built-in modules that an empty program does not load. */
export function modulesLoaded(name) {
  const nothing = load('')
  const something = load(`await import('${name}')`)
  return {
    files: something.files - nothing.files,
    bytes: something.bytes - nothing.bytes,
    builtins: something.builtins.filter((builtin) => !nothing.builtins.includes(builtin)).length,
  }
}

const counting = `import { statSync } from 'node:fs'
import { registerHooks } from 'node:module'
const files = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    if (resolved.url.startsWith('file:')) files.add(resolved.url)
    return resolved
  },
})
`
const reporting = `
const bytes = [...files].reduce((sum, url) => sum + statSync(new URL(url)).size, 0)
const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule'))
process.stdout.write(JSON.stringify({ files: files.size, bytes, builtins }), () => process.exit())
`

function load(code) {
  const program = counting + code + reporting
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: bench })
  return JSON.parse(output)
}
