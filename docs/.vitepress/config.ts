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
  // Path under which the host serves the site. On GitHub Pages, this is the repository's name.
  base: `${process.env['SITE_BASE'] ?? ''}/`,
  outDir: '../.site',
  cacheDir: '../.site-cache',
  cleanUrls: true,
  // The API report is for code reviews. In the search, it would duplicate the API reference.
  srcExclude: ['api-report.md'],
  lastUpdated: false,
  // This project's version of esbuild does not support the default targets, which are older.
  vite: { build: { target: 'es2022' }, optimizeDeps: { esbuildOptions: { target: 'es2022' } } },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Creates the same heading anchors as GitHub, because links in the pages use them.
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
      { text: 'Guides', link: '/guides/orders', activeMatch: '^/guides/(?!start)' },
      { text: 'Reference', link: '/reference/api', activeMatch: '^/reference/' },
      { text: 'Project', link: '/project/architecture', activeMatch: '^/project/' },
    ],
    sidebar: pageGroups().map((group) => ({
      text: group.name,
      items: group.pages.map(({ path, title }) => ({ text: path === 'index.md' ? 'Home' : title, link: `/${path}` })),
    })),
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: true } },
    socialLinks: [{ icon: 'github', link: repositoryUrl }],
    editLink: { pattern: `${repositoryUrl}/edit/main/docs/:path`, text: 'Edit this page' },
  },
  /** Adds the home page's hero section. As front matter in the Markdown file, GitHub would show it as a table. */
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
          { theme: 'alt', text: 'Orders', link: '/guides/orders' },
          { theme: 'alt', text: 'API reference', link: '/reference/api' },
        ],
      },
    })
  },
  buildEnd: ({ outDir }) => writeMarkdown(outDir),
})
