import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pageGroups, repositoryLink } from './pages.js'

const { name, description } = JSON.parse(readFileSync('package.json', 'utf8'))

/** Writes the Markdown source of every page beside its HTML, and `llms.txt`, which lists these files. */
export function writeMarkdown(folder: string): void {
  const lines = [`# ${name}`, '', `> ${description}`]
  for (const group of pageGroups()) {
    lines.push('', `## ${group.name}`, '')
    for (const { path, title } of group.pages) {
      lines.push(`- [${title}](${path})`)
      const source = readFileSync(join('docs', path), 'utf8')
      const copy = source.replace(/(?<=\]\(|src="|srcset=")[^)"\s]+(?=[)"])/g, (link) => repositoryLink(path, link))
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), copy)
    }
  }
  writeFileSync(join(folder, 'llms.txt'), `${lines.join('\n')}\n`)
}
