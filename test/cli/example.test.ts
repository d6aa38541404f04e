import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeTerminal } from './support.js'

/** Changes to an empty folder during the test. */
function enterFolder(): string {
  const before = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'example-'))
  process.chdir(folder)
  onTestFinished(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  })
  return folder
}

describe('payments-client example', () => {
  it('lists every example with a summary', async () => {
    const { output, run } = fakeTerminal()

    expect(await run('example')).toBe(0)

    const names = readdirSync('examples').filter((file) => file.endsWith('.ts'))
    for (const name of names) {
      expect(output).toContainEqual(expect.stringMatching(new RegExp(`^${name.replace('.ts', '')} .+[.]$`)))
    }
    expect(output).toContainEqual(expect.stringMatching(/^webhooks\/pg-boss /))
    expect(output).toContainEqual(expect.stringMatching(/^testing /))
  })

  it('copies an example that runs in the current folder', async () => {
    const example = readFileSync('examples/take-a-payment.ts', 'utf8')
    enterFolder()
    const { output, run } = fakeTerminal()

    expect(await run('example', 'take-a-payment')).toBe(0)

    expect(output).toEqual(['Copied take-a-payment.ts. Run it with: node take-a-payment.ts'])
    expect(readFileSync('take-a-payment.ts', 'utf8')).toBe(example)
  })

  it.each(['.', 'scripts'])(
    'explains how to run a copied example in a CommonJS project, in its folder %s',
    async (cwd) => {
      enterFolder()
      writeFileSync('package.json', '{ "name": "shop", "type": "commonjs" }')
      mkdirSync('scripts')
      process.chdir(cwd)
      const { output, run } = fakeTerminal()

      expect(await run('example', 'quickstart')).toBe(0)

      expect(output.join()).toContain('Copied quickstart.ts. Set "type": "module" in package.json')
      expect(output.join()).toContain('Run it with: node quickstart.ts')
    },
  )

  it.each(['postgres', 'sqlite', 'prisma'])('copies the example shop that uses orders: %s', async (database) => {
    enterFolder()
    const { output, run } = fakeTerminal()

    expect(await run('example', `orders/${database}`)).toBe(0)

    expect(output).toEqual([`Copied ${database}.ts. Import it in your server`])
    expect(readFileSync(`${database}.ts`, 'utf8')).toContain('export async function createShop')
  })

  it('copies the folder with the example tests', async () => {
    enterFolder()

    expect(await fakeTerminal().run('example', 'testing')).toBe(0)

    expect(readdirSync('testing')).toContain('shop.ts')
  })

  it('does not overwrite an existing file', async () => {
    enterFolder()
    const { notes, run } = fakeTerminal()
    await run('example', 'quickstart')

    expect(await run('example', 'quickstart')).toBe(1)

    expect(notes).toEqual(['quickstart.ts already exists in this folder: rename or delete it first'])
  })

  it.each([
    ['quickstrat', 'did you mean "quickstart"?'],
    ['../package', 'There is no example with this name'],
    ['x'.repeat(90), 'payments-client example lists all'],
  ])('rejects the unknown example name %s', async (name, message) => {
    const folder = enterFolder()
    const { notes, run } = fakeTerminal()

    expect(await run('example', name)).toBe(2)
    expect(notes.join()).toContain(message)
    expect(readdirSync(folder)).toEqual([])
  })
})
