import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * Creates a private certificate authority (`authority.pem`) in a folder, and two certificates with their keys.
 *
 * `service.pem` and `service-key.pem` are for `localhost`, `client.pem` and `client-key.pem` for a client named `shop`.
 */
export async function createCertificates(folder: string): Promise<void> {
  const create = (name: string, subject: string, ...extra: string[]) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}-key.pem`]
    const args = ['req', '-x509', ...key, '-days', '2', '-subj', `/CN=${subject}`, ...extra, '-out', `${name}.pem`]
    return execute('openssl', args, { cwd: folder })
  }
  const signed = ['-CA', join(folder, 'authority.pem'), '-CAkey', join(folder, 'authority-key.pem')]
  const leaf = [...signed, '-addext', 'basicConstraints=critical,CA:false']
  await create('authority', 'Private authority')
  await create('service', 'localhost', ...leaf, '-addext', 'subjectAltName=DNS:localhost')
  await create('client', 'shop', ...leaf)
}
