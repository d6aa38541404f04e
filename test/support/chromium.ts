import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { installPackages } from './debian.js'

const browsers = ['/usr/bin/chromium', '/usr/bin/google-chrome']

/** Starts Chromium or Chrome. Installs Chromium from the packages of Debian if neither is installed. */
export async function launchChromium(): Promise<Browser> {
  if (!browsers.some(existsSync)) installPackages(['chromium'])
  return chromium.launch({ executablePath: browsers.find(existsSync) })
}
