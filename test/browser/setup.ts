import { existsSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { serveChromium } from '../support/chromium.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket URL of the shared browser. */
    browser: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync('dist/inspector')) throw new Error('The inspector page is missing: run `npm run build`')
  const server = await serveChromium()
  project.provide('browser', server.wsEndpoint())
  return () => server.close()
}
