import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as everything from 'payments-client'
import { afterEach, describe, expect, it } from 'vitest'
import { anchor } from '../../scripts/docs/markdown.js'
import { exported } from '../../scripts/docs/program.js'
import { run } from '../../src/cli/run.js'
import { asCode, keepPrinted, promisedLines } from '../support/printed.js'
import { runSnippet, snippetsIn, typeErrors } from '../support/snippets.js'

const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
const pages = ['README.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)]
const snippets = pages.flatMap(snippetsIn)
const promising = snippets.filter(({ code }) => promisedLines(code).length > 0)

const read = (path: string) => readFileSync(path, 'utf8')

let restore = () => {}
afterEach(() => restore())

describe('code in the pages', () => {
  it('compiles, every block on its own', { timeout: 60_000 }, () => {
    expect(typeErrors(snippets)).toEqual([])
  })

  it.each(promising.map((snippet) => [`${snippet.page}:${snippet.line}`, snippet] as const))(
    '%s prints what its comments say',
    async (_, snippet) => {
      const printed = keepPrinted()
      restore = printed.restore

      await runSnippet(snippet)

      expect(printed.lines.map(asCode)).toEqual(promisedLines(snippet.code))
    },
  )
})

describe('links in the pages', () => {
  it.each(pages)('%s leads only to what is there', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]

    const broken = links.filter(([, path = '', place]) => {
      const target = path === '' ? page : join(dirname(page), path)
      return !existsSync(target) || (place !== undefined && !anchorsIn(target).includes(place))
    })

    expect(broken.map(([link]) => link)).toEqual([])
  })
})

function anchorsIn(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))
}

describe('docs/guides/errors.md', () => {
  const page = read('docs/guides/errors.md')
  const classes = Object.keys(everything).filter((name) => name.endsWith('Error'))

  it.each(classes)('explains %s', (name) => {
    expect(page).toContain(`\`${name}\``)
  })
})

describe('docs/reference/options.md', () => {
  it.each(['ClientOptions', 'RequestOptions', 'IdempotentRequestOptions', 'ResendableRequestOptions', 'Hooks'])(
    'explains every field of %s',
    (type) => {
      const [, fields = ''] = new RegExp(`interface ${type}.*?\\{(.*?)^\\}`, 'ms').exec(read('src/options.ts')) ?? []
      const names = [...fields.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name as string)

      const page = read('docs/reference/options.md')

      expect(names).not.toEqual([])
      expect(names.filter((name) => !page.includes(name))).toEqual([])
    },
  )
})

describe('docs/reference/api.md', () => {
  it('shows everything that the package exports', () => {
    const page = read('docs/reference/api.md')

    const missing = [...exported.keys()].filter(
      (name) => !page.includes(`### ${name}\n`) && !page.includes(`\`${name}\``),
    )

    expect(exported.size).toBeGreaterThan(100)
    expect(missing).toEqual([])
  })
})

describe.each([
  ['docs/guides/sandbox.md', 'Refusals'],
  ['docs/project/assumptions.md', 'The sandbox'],
])('%s', (page, heading) => {
  it('names every refusal of the sandbox, and no other', () => {
    const sources = readdirSync('src/sandbox', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const code = sources.map((name) => read(`src/sandbox/${name}`)).join('\n')
    const refusals = [...code.matchAll(/'([A-Z][a-z]+(?:[A-Z][a-z]+)+|Unauthorized|Forbidden)'/g)].map(
      ([, name]) => name,
    )

    const [, section = ''] = new RegExp(`## ${heading}\\n(.*?)(\\n## |$)`, 's').exec(read(page)) ?? []
    const rows = section.split('\n').filter((line) => /^ *\| \d{3} /.test(line))
    const named = rows.flatMap((row) => [...row.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name))

    expect(new Set(named)).toEqual(new Set(refusals))
  })
})

describe('docs/guides/command-line.md', () => {
  it.each(['sandbox', 'webhooks send', 'webhooks diagnose'])('explains every option of %s', async (command) => {
    const help = await helpOf(command)

    const options = [...help.matchAll(/^ +(--[\w-]+)/gm)].map(([, option]) => option as string)

    const page = read('docs/guides/command-line.md')
    expect(options).not.toEqual([])
    expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([])
  })
})

async function helpOf(command: string): Promise<string> {
  const lines: string[] = []
  await run([...command.split(' '), '--help'], {
    print: (line) => lines.push(line),
    note: (line) => lines.push(line),
    env: {},
    read: async () => new Uint8Array(),
    interrupted: new AbortController().signal,
  })
  return lines.join('\n')
}
