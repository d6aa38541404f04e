import { spawn } from 'node:child_process'
import { bundled } from '../../support/bundle.js'

/** The result of a program that has exited. */
export interface Ended {
  code: number | null
  lines: string[]
  errors: string
}

/** Runs a program from `test/faults/programs` in a separate process. */
export async function runProgram(name: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) {
  const file = await bundled(`test/faults/programs/${name}.ts`)
  const child = spawn(process.execPath, [...nodeOptions, file, ...args])
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, lines: output.split('\n').filter(Boolean), errors }))
  })
}
