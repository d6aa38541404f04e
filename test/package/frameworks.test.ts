import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { snippetsIn } from '../support/snippets.js'
import { run } from './consumer.js'

const frameworks =
  /from '(express|fastify|hono|aws-lambda)'|export const (POST|handler) = \w+\(createHandler|export const POST/
const blocks = snippetsIn('docs/guides/webhooks.md').filter(({ code }) => frameworks.test(code))
const programs = blocks.map(({ line, code }) => ({ line, file: `line-${line}.mts`, code }))

beforeAll(async () => {
  for (const { file, code } of programs) {
    const exported = code.includes('const app = ') ? 'export { app }' : ''
    const program = `const signingSecret = 'a secret of at least 16 bytes'\n${code}\n${exported}\n`
    await writeFile(join(inject('frameworks'), file), program)
  }
})

describe('framework code in docs/guides/webhooks.md', () => {
  it('compiles with the real frameworks', async () => {
    const folder = inject('frameworks')
    const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: programs.map(({ file }) => file) }),
    )

    const compiler = resolve('test/package/compilers/node_modules/typescript-6/bin/tsc')

    expect(programs.length).toBeGreaterThanOrEqual(5)
    expect(await run(process.execPath, [compiler, '--project', join(folder, 'tsconfig.json')])).toBe('')
  })

  it.each(programs)('line $line accepts a signed event above 100 KB and rejects an unsigned one', async ({ file }) => {
    const printed = await run(process.execPath, ['framework.mjs', `./${file}`], inject('frameworks'))

    expect(printed.trim()).toBe('200 400')
  })
})
