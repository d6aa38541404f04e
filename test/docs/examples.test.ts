import { readdirSync, readFileSync } from 'node:fs'
import { format } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { asCode, keepPrinted, promisedLines } from '../support/printed.js'

const examples = readdirSync('examples').filter((name) => name.endsWith('.ts') && name !== 'quickstart.ts')

let restore = () => {}
afterEach(() => restore())

async function run(name: string): Promise<unknown[][]> {
  const printed = keepPrinted()
  restore = printed.restore
  await import(`../../examples/${name}`)
  return printed.lines
}

describe('the programs in examples/', () => {
  it.each(examples)('%s prints the output shown in its comments', async (name) => {
    const promised = promisedLines(readFileSync(`examples/${name}`, 'utf8'))

    const lines = await run(name)

    expect(promised).not.toEqual([])
    expect(lines.map(asCode)).toEqual(promised)
  })

  it('quickstart.ts prints the output shown in examples/README.md', async () => {
    const [, shown] = /```text\n(.*?)```/s.exec(readFileSync('examples/README.md', 'utf8')) ?? []

    const lines = await run('quickstart.ts')

    expect(`${lines.map((values) => format(...values)).join('\n')}\n`).toBe(shown)
  })
})
