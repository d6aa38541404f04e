import { execFileSync } from 'node:child_process'
import { bench } from '../installed.mjs'

/** Counts the files that an import loads, and the built-in modules that an empty program does not load. */
export function modulesLoaded(name) {
  const nothing = load('')
  const something = load(`await import('${name}')`)
  return {
    files: something.files - nothing.files,
    builtins: something.builtins.filter((builtin) => !nothing.builtins.includes(builtin)).length,
  }
}

const counting = `import { registerHooks } from 'node:module'
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
const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule'))
process.stdout.write(JSON.stringify({ files: files.size, builtins }), () => process.exit())
`

function load(code) {
  const program = counting + code + reporting
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: bench })
  return JSON.parse(output)
}
