import { existsSync } from 'node:fs'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { installPackages } from './debian.js'

const browsers = ['/usr/bin/chromium', '/usr/bin/google-chrome']

/** Starts Chromium or Chrome, or installs Debian's Chromium package if neither exists. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: installChromium() })
}

/** Starts Chromium or Chrome for several processes that connect to `wsEndpoint()`. */
export async function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: installChromium(), args: ['--disable-gpu'] })
}

function installChromium(): string | undefined {
  if (!browsers.some(existsSync)) installPackages(['chromium'])
  return browsers.find(existsSync)
}
