import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Bundle } from './bundle.js'

/** The result of fuzzing one target. */
export interface Ending {
  readonly runs: number
  readonly seconds: number
  /** The failure, and the path of the input that caused it. */
  readonly finding: string | undefined
}

/** The number of milliseconds by which the loop may exceed its time limit before it is killed. */
const patienceMs = 30_000

/** Fuzzes a target until the time is up or an input fails. The loop runs in a separate process that can be killed. */
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
  return line ? JSON.parse(line) : { runs: 0, seconds, finding: error ? 'The loop did not end' : stderr }
}
