import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const site = '.site'
const sources = globSync('**/*.md', { cwd: 'docs', exclude: ['api-report.md'] })
const documents = globSync('**/*.html', { cwd: site })

const read = (path: string) => readFileSync(join(site, path), 'utf8')

function valuesOf(attribute: string, html: string): string[] {
  return [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => decodeURI(value))
}

describe('the documentation site', () => {
  const ids = new Map(documents.map((path) => [path, new Set(valuesOf('id', read(path)))]))

  it.each(documents)('contains the target of every link in %s', (path) => {
    const links = valuesOf('href', read(path)).filter((link) => /^[/#]/.test(link))

    const broken = links.filter((link) => {
      const [target = '', hash] = link.split('#')
      const file = target === '' ? path : (documentOf(target) ?? target)
      return !existsSync(join(site, file)) || (hash !== undefined && !ids.get(file)?.has(hash))
    })

    expect(broken).toEqual([])
  })

  it('links only to existing repository files', () => {
    const links = documents.flatMap((path) => valuesOf('href', read(path)))
    const files = links.map((link) => /\/(?:blob|tree|edit)\/main\/([^#]*)/.exec(link)?.[1])

    const missing = files.filter((file) => file !== undefined && !existsSync(file))

    expect(files).toContain('examples/orders/postgres.ts')
    expect(missing).toEqual([])
  })

  it('lists every page in its sidebar', () => {
    const [sidebar = ''] = /<aside class="VPSidebar".*?<\/aside>/s.exec(read('guides/start.html')) ?? []

    const linked = new Set(valuesOf('href', sidebar).map(documentOf))

    expect(sources.filter((source) => !linked.has(source.replace(/\.md$/, '.html')))).toEqual([])
  })

  it('lists every page in llms.txt', () => {
    const listed = [...read('llms.txt').matchAll(/\]\((.*?)\)/g)].map(([, path]) => path)

    expect(listed.toSorted()).toEqual(sources.toSorted())
  })

  it.each(sources)('serves %s as Markdown with working links', (source) => {
    const links = [...read(source).matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link)

    const broken = links.filter((link) => !/^\w+:/.test(link) && !existsSync(join(site, dirname(source), link)))

    expect(broken).toEqual([])
  })
})

/** Returns the document served at a path. */
function documentOf(path: string): string | undefined {
  const file = `${path.slice(1)}${path.endsWith('/') ? 'index' : ''}.html`
  return documents.find((document) => document === file)
}
