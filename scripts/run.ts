import { spawn } from 'node:child_process'

/** Run a program in the same terminal; its exit code. */
export function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    // As a shell says it: there is no such program.
    child.once('error', () => resolve(127))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
