import axe from 'axe-core'
import { PaymentsClient } from 'payments-client'
import { createSandbox, type Sandbox, type SandboxOptions } from 'payments-client/sandbox'
import { type Browser, type BrowserContext, chromium, type Page, type ViewportSize } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'
import type { Listening } from '../../src/testing/sandbox/api.js'

/** A sandbox with its server, an HTTP client, and a function that opens inspector tabs. */
export interface Inspector {
  sandbox: Sandbox
  client: PaymentsClient
  server: Listening
  /** Opens a tab. */
  open(path?: string, look?: Partial<Look>): Promise<Page>
}

interface Look {
  viewport: ViewportSize
  colorScheme: 'light' | 'dark'
}

export const wide = { width: 1280, height: 800 }
export const narrow = { width: 360, height: 780 }

let browser: Browser | undefined
let profile: BrowserContext | undefined
/** Tabs that earlier tests opened. They are used again, because opening a tab takes a second. */
const freeTabs: Page[] = []
/** Unexpected requests and errors in the tabs. They include violations of the Content-Security-Policy. */
export const problems: string[] = []

/** Starts a sandbox, and stops it after the test. */
export async function startInspector(port = 0, options?: SandboxOptions): Promise<Inspector> {
  const sandbox = createSandbox(options)
  const server = await sandbox.listen({ port })
  onTestFinished(() => server.close())
  const client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl: server.url })
  return {
    sandbox,
    client,
    server,
    async open(path = 'payments', look = {}) {
      const page = freeTabs.pop() ?? (await newTab())
      onTestFinished(() => free(page))
      await show(page, look)
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url())
        if (origin !== server.url && protocol !== 'blob:') problems.push(`request to ${request.url()}`)
      })
      page.on('pageerror', (error) => problems.push(String(error.stack)))
      page.on('console', (message) => {
        // The browser's messages about lost connections and error responses, which some tests cause intentionally.
        const isNetwork = /Failed to load resource|net::ERR_/.test(message.text())
        if (message.type() === 'error' && !isNetwork) problems.push(message.text())
      })
      await page.goto(`${server.url}/__sandbox/${path}`)
      await page.locator('h1').waitFor()
      return page
    },
  }
}

async function newTab(): Promise<Page> {
  browser ??= await chromium.connect(inject('browser'))
  profile ??= await browser.newContext({ reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await profile.newPage()
  // Only a page that hangs reaches this limit, even on a slow and busy machine.
  page.setDefaultTimeout(300_000)
  return page
}

/** Lets a later test use a tab, unless the current test has closed this tab. */
async function free(page: Page): Promise<void> {
  if (page.isClosed()) return
  page.removeAllListeners()
  await page.goto('about:blank')
  freeTabs.push(page)
}

/** Changes the size and the colour scheme of a tab. */
async function show(page: Page, { viewport = wide, colorScheme = 'light' }: Partial<Look>): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
}

/** Opens a section by clicking its link. */
export async function goTo(page: Page, section: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
  await page.getByRole('heading', { level: 1, name: section, exact: true }).waitFor()
}

export const sections = ['Payments', 'Requests', 'Webhooks', 'Sessions', 'Saved methods', 'Loyalty', 'Faults', 'Clock']

/**
 * Opens every section, the external payments, and the details of the first payment, request and webhook. Calls `visit`
 * after each view has loaded.
 */
export async function visitAll(page: Page, visit: (name: string) => Promise<void>): Promise<void> {
  for (const section of sections) {
    await goTo(page, section)
    if (section !== 'Clock') await page.locator('tbody tr').first().waitFor()
    await visit(section)
  }
  await goTo(page, 'Payments')
  await page.getByRole('link', { name: 'External' }).click()
  await page.getByRole('heading', { name: 'External payments' }).waitFor()
  await page.locator('tbody tr').first().waitFor()
  await visit('External payments')
  for (const section of ['Payments', 'Requests', 'Webhooks']) {
    await goTo(page, section)
    await page.locator('tbody a').first().click()
    await page.getByRole('link', { name: 'Back to the list' }).waitFor()
    await page.locator('dl').first().waitFor()
    await visit(`${section}/:id`)
  }
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

const looks: readonly Look[] = [
  { viewport: wide, colorScheme: 'light' },
  { viewport: narrow, colorScheme: 'dark' },
]

/**
 * Expects no axe violations and no horizontal scrolling. By default, checks both widths and both colour schemes. The
 * contrast of colours does not depend on the width.
 */
export async function expectAccessible(page: Page, checked = looks): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const problems: object[] = []
  for (const look of checked) {
    await show(page, look)
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        resultTypes: ['violations'],
      })
      const scrolls = document.documentElement.scrollWidth > innerWidth
      return [
        ...violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes.map((node) => node.html) })),
        ...(scrolls ? [{ id: 'scrolls horizontally' }] : []),
      ]
    })
    problems.push(...found.map((problem) => ({ url: page.url(), ...look, ...problem })))
  }
  expect(problems).toEqual([])
}
