import { execFileSync } from 'node:child_process'

/** Installs Debian packages, and waits for other installations to finish. */
export function installPackages(names: readonly string[]): void {
  if (names.length === 0) return
  const options = ['-y', '-qq', '--no-install-recommends']
  for (const args of [
    ['update', '-qq'],
    ['install', ...options, ...names],
  ]) {
    execFileSync('flock', ['/tmp/payments-client-apt.lock', 'apt-get', ...args], { stdio: 'inherit' })
  }
}
