import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'

/** The folder with the type declarations of each module of src. */
export const emitted = '.build/types'

/** Uses TypeScript 7, which needs a quarter of the time of TypeScript 6. */
export function emitTypes(): void {
  rmSync(emitted, { recursive: true, force: true })
  const compiler = 'node_modules/typescript-7/bin/tsc'
  execFileSync(process.execPath, [compiler, '--project', 'tsconfig.build.json'], { stdio: 'inherit' })
}
