import { spawn } from 'node:child_process'

/** Resolves to the exit code of the program. */
export function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' })
    // 127 is the exit code of shells for a program that does not exist.
    child.once('error', () => resolve(127))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
