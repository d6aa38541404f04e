import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'

/** A page of the site. */
export interface Page {
  /** Path relative to docs/, such as `guides/payments.md`. */
  readonly path: string
  readonly title: string
}

/** Sidebar groups. A pattern adds all matching pages that no group lists by name. */
const groups: Record<string, readonly string[]> = {
  Start: ['index.md', ...['start', 'orders', 'frameworks', 'webhooks', 'errors', 'testing', 'going-live'].map(guide)],
  Payments: ['payments', 'client-sessions', 'saved-payment-methods', 'loyalty', 'lists'].map(guide),
  'Without orders': ['orm', 'engines', 'durable-operations', 'retries-and-idempotency', 'webhooks-at-scale'].map(guide),
  Tools: ['sandbox', 'explore', 'command-line', 'observability', 'schemas'].map(guide),
  Reference: [...['options', 'errors', 'api', 'openapi', '*'].map((name) => `reference/${name}.md`), 'guides/*.md'],
  Project: ['project/architecture.md', 'project/*.md'],
}

function guide(name: string): string {
  return `guides/${name}.md`
}

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'))
export const repositoryUrl: string = repository.url.replace(/^git\+|\.git$/g, '')

/** Returns the pages of each group, in sidebar order. */
export function pageGroups(): { name: string; pages: Page[] }[] {
  const listed = new Set(Object.values(groups).flat())
  const find = (pattern: string) => globSync(pattern, { cwd: 'docs' }).filter((path) => !listed.has(path))
  return Object.entries(groups).flatMap(([name, patterns]) => {
    const paths = patterns.flatMap((path) => (path.includes('*') ? find(path).sort() : path))
    const pages = paths.filter((path) => existsSync(join('docs', path))).map((path) => ({ path, title: titleOf(path) }))
    return pages.length === 0 ? [] : [{ name, pages }]
  })
}

function titleOf(path: string): string {
  return /^# (.*)$/m.exec(readFileSync(join('docs', path), 'utf8'))?.[1] ?? path
}

/** Converts a page's relative link to a GitHub URL if the site does not contain the target. */
export function repositoryLink(page: string, link: string): string {
  if (/^(\w+:|#)/.test(link)) return link
  const [path = '', hash] = link.split('#')
  const target = normalize(join('docs', page, '..', path))
  if (target.startsWith('docs/') && target.endsWith('.md')) return link
  const isFolder = existsSync(target) && statSync(target).isDirectory()
  const kind = isFolder ? 'tree' : /\.(svg|webp)$/.test(target) ? 'raw' : 'blob'
  return `${repositoryUrl}/${kind}/main/${target}${hash === undefined ? '' : `#${hash}`}`
}
