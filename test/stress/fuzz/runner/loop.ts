import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Bundle } from './bundle.js'

/** How the fuzzing of one target ended. */
export interface Ending {
  readonly runs: number
  readonly seconds: number
  /** What was found, and where the input is that did it. */
  readonly finding: string | undefined
}

/** How long the loop may overrun its time before it counts as hanging. */
const patienceMs = 30_000

/** Fuzz for so long, or up to the first finding, in a process of its own that can be stopped whatever it does. */
export async function runLoop(
  { name, file, findings }: Pick<Bundle, 'name' | 'file' | 'findings'>,
  seconds: number,
): Promise<Ending> {
  const program = fileURLToPath(new URL('loop-program.ts', import.meta.url))
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    ['--import', 'tsx', program, file, String(seconds), `${findings}/${name}`],
    { encoding: 'utf8', timeout: seconds * 1000 + patienceMs },
  )
  const [line] = /^\{.*\}$/m.exec(stdout) ?? []
  return line ? JSON.parse(line) : { runs: 0, seconds, finding: error ? 'It does not end' : stderr }
}
