import { spawn } from 'node:child_process'

/** Runs a program in the same terminal. Returns its exit code. */
export function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    // Shells use this code for a program that does not exist.
    child.once('error', () => resolve(127))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
