import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** For each rule about who may import whom, a file that breaks it. */
const breaches: Record<string, [file: string, imports: string]> = {
  'ground-stands-alone': ['errors.ts', './client.js'],
  'schemas-stand-alone': ['schemas/payment.ts', '../client.js'],
  'contract-knows-schemas-only': ['contract/payments.ts', '../client.js'],
  'transport-looks-down': ['transport/history.ts', '../client.js'],
  'resources-look-down': ['resources/payments.ts', '../client.js'],
  'client-never-heard-of-the-sandbox': ['index.ts', './errors.js'],
  'webhooks-load-no-client': ['webhooks/verify.ts', '../errors.js'],
  'webhooks-load-no-ky': ['webhooks/verify.ts', '../errors.js'],
  'schemas-load-no-ky': ['schemas/payment.ts', '../client.js'],
  'sandbox-faces-the-transport': ['sandbox/store/store.ts', '../../client.js'],
  'sandbox-domain-knows-no-request': ['sandbox/domain/payments.ts', '../service/service.js'],
  'ky-in-the-transport-only': ['client.ts', 'ky'],
  'msw-in-its-entry-only': ['money.ts', 'msw'],
  'zod-mini-only': ['dates.ts', 'zod'],
  'no-other-package': ['lists.ts', 'esbuild'],
  'no-circle': ['sandbox/clock.ts', './store/store.js'],
  resolvable: ['wait.ts', './nowhere.js'],
}
const innocent = {
  'client.ts': './sandbox/store/store.js',
  'sandbox/store/store.ts': '../clock.js',
  'sandbox/service/service.ts': '../clock.js',
}

const wrongWaysToImportZod = [
  `import { z } from 'zod/mini'`,
  `import z, { string } from 'zod/mini'`,
  `import * as zod from 'zod/mini'`,
  `import type { ZodMiniType } from 'zod/mini'`,
  `import * as z from 'zod'`,
  `export * from 'zod/mini'`,
]
const rightWaysToImportZod = [`import * as z from 'zod/mini'`, `import type * as z from 'zod/mini'`]

interface Report {
  summary: {
    ruleSetUsed: { forbidden: { name: string }[] }
    violations: { rule: { name: string }; from: string }[]
  }
}

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payments-client-house-'))
  for (const file of ['.dependency-cruiser.mjs', '.gitignore', 'biome.json', 'tsconfig.json', '.ci/lint']) {
    await cp(file, join(folder, file), { recursive: true })
  }
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('who may import whom', () => {
  let rules: string[]
  let broken: string[]

  beforeAll(async () => {
    const imports: Record<string, string[]> = {}
    for (const [file, imported] of [...Object.values(breaches), ...Object.entries(innocent)]) {
      imports[file] = [...(imports[file] ?? []), `import '${imported}'`]
    }
    for (const [file, lines] of Object.entries(imports)) await write(file, lines)
    const { summary }: Report = JSON.parse(await print('depcruise', 'src', '--output-type', 'json'))
    rules = summary.ruleSetUsed.forbidden.map(({ name }) => name)
    broken = summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
  })

  it.each(Object.entries(breaches))('%s', (rule, [file]) => {
    expect(broken).toContain(`${rule}: src/${file}`)
  })

  it('has no rule without a breach here', () => {
    expect(Object.keys(breaches).sort()).toEqual(rules.sort())
  })
})

describe('how zod is imported', () => {
  it.each(wrongWaysToImportZod)('refuses %s', async (statement) => {
    expect(await complaintsAbout(statement)).toMatch(/Import zod as/)
  })

  it.each(rightWaysToImportZod)('allows %s', async (statement) => {
    expect(await complaintsAbout(statement)).not.toMatch(/Import zod as/)
  })

  async function complaintsAbout(statement: string): Promise<string> {
    await write('zod.ts', [statement])
    return print('biome', 'lint', 'src/zod.ts')
  }
})

async function write(file: string, lines: string[]): Promise<void> {
  const path = join(folder, 'src', file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${lines.join('\n')}\n`)
}

/** What a tool prints, whatever it thinks of the folder. */
function print(tool: string, ...args: string[]): Promise<string> {
  return new Promise((done) => {
    execFile(tool, args, { cwd: folder, maxBuffer: 2 ** 24 }, (_error, stdout, stderr) => done(stdout + stderr))
  })
}
