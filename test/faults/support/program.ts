import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The result of a program that has exited. */
export interface Ended {
  code: number | null
  lines: string[]
  errors: string
}

/** Runs a program from `test/faults/programs` in a separate process. */
export function runProgram(name: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) {
  const file = fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [...nodeOptions, '--import', 'tsx', file, ...args])
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
