import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, scratch } from '../installed.mjs'

const tsc = join(root, 'node_modules/typescript/bin/tsc')
const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
}
let empty

/**
 * Returns the compiler's statistics for a consumer's program, minus the statistics for an empty program. Includes
 * declaration files.
 */
export function compilation(program) {
  empty ??= compile('export {}\n')
  const { types, instantiations, errors } = compile(program)
  return { types: types - empty.types, instantiations: instantiations - empty.instantiations, errors }
}

function compile(program) {
  const folder = join(scratch, 'compilation')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['program.ts'] }))
  writeFileSync(join(folder, 'program.ts'), program)
  const output = run(folder)
  const count = (what) => Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(output)[1])
  return {
    types: count('Types'),
    instantiations: count('Instantiations'),
    errors: output.match(/error TS\d+/g)?.length ?? 0,
  }
}

/** Runs the compiler and returns its statistics, even if it reports type errors. */
function run(folder) {
  try {
    return execFileSync(process.execPath, [tsc, '--project', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
  } catch (error) {
    if (/^Types:/m.test(error.stdout)) return error.stdout
    throw error
  }
}
