import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { bundled } from '../../support/bundle.js'

const execute = promisify(execFile)

/** Runs a program from `test/faults/programs` in a separate process, which must not fail. Returns its output. */
export async function runProgram(name: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) {
  const file = await bundled(`test/faults/programs/${name}.ts`)
  const { stdout, stderr } = await execute(process.execPath, [...nodeOptions, file, ...args])
  expect(stderr).toBe('')
  return stdout.trimEnd()
}
