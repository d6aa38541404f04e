import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as everything from 'payments-client'
import * as orders from 'payments-client/orders'
import { createSandbox } from 'payments-client/sandbox'
import * as schemas from 'payments-client/schemas'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { anchor } from '../../scripts/docs/markdown.js'
import { paymentRows, transactionRows } from '../../src/cli/payments.js'
import { migrations } from '../../src/cli/sql.js'
import { carts } from '../../src/core/contract/version.js'
import { eventTypes } from '../../src/core/schemas/known-values.js'
import { schema as clientOptions } from '../../src/core/settings.js'
import { schema as requestOptions } from '../../src/core/transport/call-options.js'
import { faultShape } from '../../src/testing/sandbox/service/faults.js'
import { fakeTerminal } from '../cli/support.js'
import { asCode, keepPrinted, promisedLines } from '../support/printed.js'
import { evaluate, pages, snippetsIn, valuesFor } from '../support/snippets.js'

// `test/stores` runs the code blocks of the guide to orders, which need PostgreSQL.
const printing = pages
  .filter((page) => page !== 'docs/guides/orders.md')
  .flatMap(snippetsIn)
  .filter(({ code }) => promisedLines(code).length > 0)

const read = (path: string) => readFileSync(path, 'utf8')

let restore = () => {}
afterEach(() => restore())

const sandbox = createSandbox()
/** The environment variables that the pages describe. */
beforeAll(async () => {
  const { url, close } = await sandbox.listen()
  vi.stubEnv('PAYMENTS_BASE_URL', url)
  vi.stubEnv('PAYMENTS_API_KEY', sandbox.apiKey)
  return async () => {
    vi.unstubAllEnvs()
    await close()
  }
})

describe('code blocks in the documentation', () => {
  it.each(printing.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const))(
    'each code block prints the output in its comments: %s',
    async (_, snippet) => {
      sandbox.reset()
      const printed = keepPrinted()
      restore = printed.restore
      const values = await valuesFor(snippet)
      printed.lines.length = 0

      await evaluate(snippet.code, values)

      expect(printed.lines.map(asCode)).toEqual(promisedLines(snippet.code))
    },
  )
})

describe('code blocks and examples', () => {
  const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const files = [...pages.filter((page) => page !== 'CHANGELOG.md'), ...examples.map((name) => `examples/${name}`)]

  it.each(files)('the code recognizes errors by their fields instead of instanceof: %s', (file) => {
    const code = file.endsWith('.md') ? snippetsIn(file).map((snippet) => snippet.code) : [read(file)]

    expect(code.join('\n')).not.toMatch(/instanceof \w*Error\b/)
  })
})

describe('links in the documentation', () => {
  it.each(pages)('each link points to an existing file and heading: %s', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]

    const broken = links.filter(([, path = '', heading]) => {
      const target = path === '' ? page : join(dirname(page), path)
      return !existsSync(target) || (heading !== undefined && !anchorsIn(target).has(heading))
    })

    expect(broken.map(([link]) => link)).toEqual([])
  })
})

const anchors = new Map<string, Set<string>>()

function anchorsIn(page: string): Set<string> {
  const known = anchors.get(page)
  if (known) return known
  const found = new Set([...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading)))
  anchors.set(page, found)
  return found
}

describe('the page docs/reference/errors.md', () => {
  const page = read('docs/reference/errors.md')
  const classes = Object.keys({ ...everything, ...orders }).filter((name) => /^[A-Z].*Error$/.test(name))

  it.each(classes)('explains the error class %s', (name) => {
    expect(page).toContain(`\`${name}\``)
  })

  it('ships with the package, and has the section that an error’s docsPath links to', () => {
    const { docsPath, docsUrl } = new everything.ConfigurationError('')

    const [path = '', heading = ''] = docsPath.split('#')
    expect(docsUrl).toBe(docsPath)
    expect(JSON.parse(read('package.json')).files).toContain('docs/**/*.md')
    expect(path).toMatch(/^docs\/.*\.md$/)
    expect(anchorsIn(path)).toContain(heading)
  })
})

describe('the tables and lists in the documentation', () => {
  const versions = Object.keys(carts)
  const entryPoints = Object.keys(migrations).map((database) => `payments-client/${database}`)

  it.each<[contents: string, page: string, names: readonly string[]]>([
    ['event type', 'guides/webhooks.md', eventTypes],
    ['event type', 'guides/command-line.md', eventTypes],
    ['column of CSV files', 'guides/command-line.md', [...paymentRows.columns, ...transactionRows.columns]],
    ['schema', 'guides/schemas.md', Object.keys(schemas)],
    ['field of a fault', 'guides/sandbox.md', Object.keys(faultShape)],
    ['SQL database', 'guides/webhooks-at-scale.md', entryPoints],
    ['API version', 'guides/migration.md', versions],
    ['API version', 'reference/openapi.md', versions],
    ['client option', 'reference/options.md', Object.keys(clientOptions.shape)],
    ['request option', 'reference/options.md', Object.keys(requestOptions.shape)],
  ])('the documentation contains every %s: %s', (_, page, names) => {
    const rows =
      read(`docs/${page}`)
        .match(/^[|-] .*(\n {2}.*)*/gm)
        ?.join('\n') ?? ''

    expect(names.filter((name) => !rows.includes(`\`${name}\``))).toEqual([])
  })
})

it.each(Object.keys(migrations))('docs/guides/durable-operations.md opens a journal: %s', (database) => {
  const imports = `import { createJournal } from 'payments-client/${database}'`

  expect(read('docs/guides/durable-operations.md')).toContain(imports)
})

describe.each(readdirSync('docs/skills'))('the skill %s', (name) => {
  const skill = read(`docs/skills/${name}/SKILL.md`)

  it('starts with the front matter that coding agents need to discover a skill', () => {
    const [, description = ''] = new RegExp(`^---\\nname: ${name}\\ndescription: (.*)\\n---\\n`).exec(skill) ?? []

    expect(description.length).toBeGreaterThan(100)
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(description).not.toMatch(/: |^["'[{]/)
  })

  it('refers only to existing guides', () => {
    const guides = [...skill.matchAll(/\b([a-z-]+\.md)\b/g)].map(([, guide = '']) => guide)

    expect(guides).toContain('orders.md')
    expect(guides.filter((guide) => !existsSync(`docs/guides/${guide}`))).toEqual([])
  })
})

async function helpOf(command = ''): Promise<string> {
  const { output, run } = fakeTerminal()
  await run(...command.split(' ').filter(Boolean), '--help')
  return output.join('\n')
}

const overview = (await helpOf()).matchAll(/^ {2}([a-z]+)(?: ([a-z|]+))? /gm)
const commands = [...overview]
  .flatMap(([, group, names = '']) => names.split('|').map((name) => `${group} ${name}`.trim()))
  .filter((command) => command !== 'help')

describe('the page docs/guides/command-line.md', () => {
  const page = read('docs/guides/command-line.md')
  const sections = new Map(
    page.split(/^## payments-client /m).map((section) => [/^[a-z]+( [a-z]+)?/.exec(section)?.[0], section]),
  )

  it.each(commands)('describes the command %s and its options, and the help has an example', async (command) => {
    const help = await helpOf(command)
    const options = [...help.matchAll(/^ +(--[\w-]+)/gm)].map(([, option]) => option as string)
    const documented = [...sections.get(command)!.matchAll(/`(--[\w-]+)/g)].map(([, option]) => option as string)

    expect(options).toContain('--json')
    expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([])
    expect(documented.filter((option) => !options.includes(option))).toEqual([])
    expect(help).toContain(`\nExample:\n  payments-client ${command}`)
    if (options.includes('--api-version')) expect(help).toContain('PAYMENTS_BASE_URL and PAYMENTS_API_KEY')
  })
})
