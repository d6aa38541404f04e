import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchTools, run } from '../../../package/consumer.js'
import { type Bundle, workshop } from './bundle.js'
import type { Ending } from './loop.js'

const home = 'test/stress/fuzz'
const jazzer = join(home, 'node_modules/@jazzer.js/core/dist/cli.js')

/** Installs jazzer.js if it is missing. Returns the reason if it cannot run on this machine. */
export async function installJazzer(): Promise<string | undefined> {
  try {
    await fetchTools(home)
    // Fails if the machine cannot load the jazzer.js binary, which needs glibc 2.38.
    await run(process.execPath, [jazzer, '--version'])
    return undefined
  } catch (error) {
    const reason =
      String(error)
        .match(/(?<=^Error: ).*/gm)
        ?.at(-1) ?? error
    return `jazzer.js cannot be used here (${reason})`
  }
}

/** The time limit of one run in milliseconds. */
const patienceMs = 10_000

/** Fuzzes a target until the time is up or an input fails. */
export async function runJazzer(
  { name, file, corpus, findings, words, isAsync }: Bundle,
  seconds: number,
): Promise<Ending> {
  const dictionary = `${workshop}/${name}.dict`
  writeFileSync(dictionary, words.map((word) => `"${escaped(word)}"\n`).join(''))
  const log = `${findings}/${name}.log`
  const written = openSync(log, 'w')
  const forJazzer = [file, corpus, `--includes=${workshop}/`, `--timeout=${patienceMs}`]
  // Turns off the detector of network connections, because targets may start a server.
  forJazzer.push('--disableBugDetectors=ssrf', ...(isAsync ? [] : ['--sync']))
  const forLibFuzzer = [`-max_total_time=${seconds}`, '-max_len=4096', `-dict=${dictionary}`]
  forLibFuzzer.push(`-artifact_prefix=${findings}/${name}-`)
  const { status } = spawnSync(process.execPath, [jazzer, ...forJazzer, '--', ...forLibFuzzer], {
    stdio: ['ignore', written, written],
  })
  closeSync(written)
  const output = readFileSync(log, 'utf8')
  const [, runs, took] = /^Done (\d+) runs in (\d+) second/m.exec(output) ?? []
  const isDone = status === 0 && runs !== undefined
  return { runs: Number(runs ?? 0), seconds: Number(took ?? 0), finding: isDone ? undefined : lastWords(output) }
}

/** Formats a word for libFuzzer's dictionary file. */
function escaped(word: string): string {
  return Array.from(Buffer.from(word), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

/** Returns the last lines of the output, without progress lines. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => !/^(#\d+|INFO:|stat::|"\\|#####)/.test(line))
  return lines.slice(-40).join('\n')
}
