import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { anchor } from '../../scripts/docs/markdown.js'
import { writeMarkdown } from './llms.js'
import { pageGroups, repositoryLink, repositoryUrl } from './pages.js'

const { name, description } = JSON.parse(readFileSync('package.json', 'utf8'))

export default defineConfig({
  title: name,
  description,
  // Browsers request /favicon.ico unless a page has an icon.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // The folder of the site on its host. GitHub Pages serves it from a folder with the name of the repository.
  base: `${process.env['SITE_BASE'] ?? ''}/`,
  outDir: '../.site',
  cacheDir: '../.site-cache',
  cleanUrls: true,
  // For reviews of changes. In the search, its names would double those of the API reference.
  srcExclude: ['api-report.md'],
  lastUpdated: false,
  // The default targets are older than this project's version of esbuild supports.
  vite: { build: { target: 'es2022' }, optimizeDeps: { esbuildOptions: { target: 'es2022' } } },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The links of the pages use the anchors of GitHub.
    anchor: { slugify: anchor },
    config(md) {
      md.core.ruler.push('links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const link = token.type === 'link_open' && token.attrGet('href')
          if (link) token.attrSet('href', repositoryLink(env.relativePath, link))
        }
      })
      md.core.ruler.push('checkboxes', ({ tokens }) => {
        for (const [index, { children }] of tokens.entries()) {
          const [first] = children ?? []
          if (!first?.content.startsWith('[ ] ')) continue
          first.content = first.content.slice(4)
          tokens[index - 2]?.attrSet('class', 'checkbox')
        }
      })
    },
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/guides/start' },
      { text: 'Guides', link: '/guides/payments', activeMatch: '^/guides/(?!start)' },
      { text: 'Reference', link: '/reference/api', activeMatch: '^/reference/' },
      { text: 'Project', link: '/project/architecture', activeMatch: '^/project/' },
    ],
    sidebar: pageGroups().map((group) => ({
      text: group.name,
      items: group.pages.map(({ path, title }) => ({ text: path === 'index.md' ? 'Home' : title, link: `/${path}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repositoryUrl }],
    editLink: { pattern: `${repositoryUrl}/edit/main/docs/:path`, text: 'Edit this page' },
  },
  /** Adds the header of the home page, so that its Markdown needs no front matter, which GitHub would show as a table. */
  transformPageData(page) {
    if (page.relativePath !== 'index.md') return
    Object.assign(page.frontmatter, {
      layout: 'home',
      titleTemplate: false,
      hero: {
        name,
        tagline: description,
        actions: [
          { text: 'Start in five minutes', link: '/guides/start' },
          { theme: 'alt', text: 'Guides', link: '/guides/payments' },
          { theme: 'alt', text: 'API reference', link: '/reference/api' },
        ],
      },
    })
  },
  buildEnd: ({ outDir }) => writeMarkdown(outDir),
})
