import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { onTestFinished, vi } from 'vitest'

export interface Certificate {
  key: string
  cert: string
}

/** Creates a self-signed certificate. */
export function certificate({ host, expired = false }: { host: string; expired?: boolean }): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  try {
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
    openssl('req', '-x509', ...ec, ...names, '-days', '2', '-keyout', 'key.pem', '-out', 'cert.pem')
    if (expired) openssl('x509', '-in', 'cert.pem', '-signkey', 'key.pem', '-days', '-1', '-out', 'cert.pem')
    const read = (file: string) => readFileSync(join(folder, file), 'utf8')
    return { key: read('key.pem'), cert: read('cert.pem') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Makes `tls` trust a certificate until the end of the test. Mocks `tls`, because Node 22 cannot change the default
 * certificate authorities.
 */
export function trust({ cert }: Certificate): void {
  const { createSecureContext } = tls
  const spy = vi
    .spyOn(tls, 'createSecureContext')
    .mockImplementation((options) => createSecureContext({ ...options, ca: [cert] }))
  onTestFinished(() => spy.mockRestore())
}
