import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.js'

const paths = globSync('**/*.md', { cwd: 'docs', exclude: ['api-report.md'] }).map(
  (path) => `/${path.replace(/(index)?\.md$/, '')}`,
)

const files = new Set(globSync('**/*.*', { cwd: '.site' }).map((file) => `/${file}`))
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

const server = createServer(({ url = '' }, response) => {
  const file = [url, `${url}.html`, `${url}index.html`].find((name) => files.has(name))
  if (file === undefined) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
  return response.end(readFileSync(join('.site', file)))
})

let browser: Browser
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  server.close()
})

/** Turns off two best practices, because the home page of VitePress has no `<main>`. */
const options: axe.RunOptions = {
  resultTypes: ['violations'],
  rules: { 'landmark-one-main': { enabled: false }, region: { enabled: false } },
}

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

async function newPage(context: BrowserContextOptions): Promise<Page> {
  const { port } = server.address() as AddressInfo
  const page = await browser.newPage({ baseURL: `http://127.0.0.1:${port}`, ...context })
  page.setDefaultTimeout(60_000)
  return page
}

describe('the documentation site in Chromium', () => {
  describe('at 390 px and 1280 px, in light and dark mode', () => {
    let page: Page
    beforeAll(async () => {
      page = await newPage({ viewport: desktop, colorScheme: 'light' })
    })
    afterAll(() => page.close())

    it.each(['/', '/guides/errors', '/reference/api', '/reference/control-api', '/skills/payments-client/SKILL'])(
      'shows %s without accessibility problems',
      async (path) => {
        await page.goto(path, { waitUntil: 'networkidle' })
        // Keeps only the start of a long page. The rest has elements of the same kinds, and would take axe a minute.
        await page.evaluate(() => {
          for (const element of [...document.querySelectorAll('.vp-doc > div > *')].slice(60)) element.remove()
        })
        await page.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') })
        const problems: string[] = []
        for (const viewport of [desktop, phone]) {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.setViewportSize(viewport)
            await page.emulateMedia({ colorScheme })
            await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()

            const { violations } = await page.evaluate(
              (options) => (window as unknown as { axe: typeof axe }).axe.run(options),
              options,
            )

            const look = `${viewport.width} px, ${colorScheme}`
            problems.push(...violations.map(({ id, nodes }) => `${look}: ${id}: ${nodes[0]?.html}`))
          }
        }
        expect(problems).toEqual([])
      },
    )
  })

  it('fits every page into a phone’s width', async () => {
    // Disables scripts, which do not affect the layout. Otherwise, each page would fetch the scripts of all linked
    // pages.
    const page = await newPage({ viewport: phone, javaScriptEnabled: false })
    const widths: Record<string, number> = {}

    for (const path of paths) {
      await page.goto(path)
      widths[path] = await page.evaluate(() => document.documentElement.scrollWidth)
    }

    expect(widths).toEqual(Object.fromEntries(paths.map((path) => [path, phone.width])))
    await page.close()
  })

  it('finds a method by its name, and shows it with an excerpt in the results', async () => {
    const page = await newPage({ viewport: desktop })
    await page.goto('/', { waitUntil: 'networkidle' })
    await page.getByRole('button', { name: 'Search' }).click()

    await page.getByRole('searchbox').fill('payments.adjustAuthorization')

    const result = page.getByRole('option').first()
    await result.filter({ hasText: 'payments.adjustAuthorization' }).waitFor()
    await result.locator('.excerpt').filter({ hasText: 'ESTIMATED' }).waitFor()
    await page.close()
  })
})
