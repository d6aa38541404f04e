import axe from 'axe-core'
import { PaymentsClient } from 'payments-client'
import { createSandbox, type Sandbox, type SandboxOptions } from 'payments-client/sandbox'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, expect, inject, onTestFinished } from 'vitest'
import type { Listening } from '../../src/sandbox/http/server.js'

/** A sandbox with its server, an HTTP client, and a function that opens inspector tabs. */
export interface Inspector {
  sandbox: Sandbox
  client: PaymentsClient
  server: Listening
  /** Opens a tab. Tabs opened with the same options share a browser profile. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>
}

export const wide = { viewport: { width: 1280, height: 800 } }
export const narrow = { viewport: { width: 360, height: 780 } }

let browser: Promise<Browser> | undefined
const problems: string[] = []

afterEach(() => {
  // The browser logs violations of the Content-Security-Policy as errors.
  expect(problems.splice(0)).toEqual([])
})

afterAll(async () => (await browser)?.close())

/** Starts a sandbox, and stops it after the test. */
export async function startInspector(port = 0, options?: SandboxOptions): Promise<Inspector> {
  const sandbox = createSandbox(options)
  const server = await sandbox.listen({ port })
  onTestFinished(() => server.close())
  const client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl: server.url })
  browser ??= chromium.connect(inject('browser'))
  const connected = await browser
  const contexts = new Map<string, ReturnType<Browser['newContext']>>()
  onTestFinished(async () => {
    for (const context of contexts.values()) await (await context).close()
  })
  const contextFor = (options: BrowserContextOptions) => {
    const key = JSON.stringify(options)
    const context = contexts.get(key) ?? connected.newContext({ reducedMotion: 'reduce', ...options })
    contexts.set(key, context)
    return context
  }
  return {
    sandbox,
    client,
    server,
    async open(path = 'payments', options = wide) {
      const page = await (await contextFor(options)).newPage()
      page.setDefaultTimeout(15_000)
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url())
        if (origin !== server.url && protocol !== 'blob:') problems.push(`request to ${request.url()}`)
      })
      page.on('pageerror', (error) => problems.push(String(error.stack)))
      page.on('console', (message) => {
        // Some tests lose the connection or get error responses on purpose.
        const isNetwork = /Failed to load resource|net::ERR_/.test(message.text())
        if (message.type() === 'error' && !isNetwork) problems.push(message.text())
      })
      await page.goto(`${server.url}/__sandbox/#/${path}`)
      await page.locator('h1').waitFor()
      return page
    },
  }
}

/** Opens a section by clicking its link. */
export async function goTo(page: Page, section: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: section, exact: true }).waitFor()
}

/** Fills in an action's fields by label, clicks its button, and returns the message that appears. */
export async function act(page: Page, action: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const button = page.getByRole('button', { name: action, exact: true })
  for (const [label, value] of Object.entries(fields)) {
    const field = page.locator('form').filter({ has: button }).getByLabel(label, { exact: true })
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
    else await field.fill(value)
  }
  const before = await page.locator('.notice').allInnerTexts()
  await button.click()
  await page.waitForFunction(
    (before) => [...document.querySelectorAll('.notice')].some((notice, index) => notice.textContent !== before[index]),
    before,
  )
  const messages = await page.locator('.notice:not(:empty)').allInnerTexts()
  return messages.find((message) => !before.includes(message)) ?? ''
}

/** Expects no axe violations and no horizontal scrolling. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map((node) => node.html) }))
  })
  expect(violations).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}
