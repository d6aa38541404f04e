import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'

/** The code of programs by file name. */
export type Programs = Readonly<Record<string, string>>

/** An example with a journal, and programs that recover its operations with cron and with the examples for queues. */
export const journalPrograms: Programs = Object.fromEntries([
  ['refunds.ts', readFileSync('examples/recipes/refunds.ts', 'utf8')],
  ['start-cron.ts', "import { recover } from './refunds.ts'\nconsole.log(await recover())\nprocess.exit()\n"],
  ...['pg-boss', 'bullmq'].flatMap((queue) => {
    const example = `recover-with-${queue}.ts`
    const program = `import { schedule } from './${example}'\nimport { recover } from './refunds.ts'\nawait schedule(recover)\n`
    return [
      [example, readFileSync(`examples/recipes/${example}`, 'utf8')],
      [`start-${queue}.ts`, program],
    ]
  }),
])

export const queueExamples: Programs = Object.fromEntries(
  ['pg-boss.ts', 'bullmq.ts'].map((file) => [file, readFileSync(`examples/webhooks/${file}`, 'utf8')]),
)

export const exampleShops: Programs = Object.fromEntries(
  ['postgres.ts', 'prisma.ts'].map((file) => [`shop-${file}`, readFileSync(`examples/orders/${file}`, 'utf8')]),
)

/** Writes programs to a folder, and returns its path. From there, they can import the drivers and the built package. */
export function writePrograms(name: string, programs: Programs): string {
  const folder = resolve(import.meta.dirname, '.apps', name)
  mkdirSync(folder, { recursive: true })
  for (const [file, code] of Object.entries(programs)) writeFileSync(resolve(folder, file), code)
  return folder
}

/** Starts a program in its own process, which ends with the test. */
export function startProgram(path: string, env: Record<string, string>) {
  // Some versions of Node.js warn that they remove types.
  const child = spawn(process.execPath, ['--no-warnings', path], { env: { ...process.env, ...env } })
  onTestFinished(async () => {
    const exited = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGKILL')) await exited
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  return { child, printed: () => printed }
}
