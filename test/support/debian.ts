import { execFileSync } from 'node:child_process'

/** Installs Debian packages. Waits if another test run is installing packages. */
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
