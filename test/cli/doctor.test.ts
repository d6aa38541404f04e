import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { certificate, trust } from '../faults/support/certificates.js'
import { listen } from '../support/listen.js'
import { closedUrl, fakeTerminal, startService } from './support.js'

const { versions } = process
afterEach(() => void Object.defineProperty(process, 'versions', { value: versions }))

/** Starts a server, and returns its URL. */
async function serve(listener: RequestListener, tls?: { key: string; cert: string }): Promise<string> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  const port = await listen(server)
  return tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
}

/** Runs `doctor --json`, and returns the check with the given name. */
async function check(name: string, env: Record<string, string>, ...args: string[]) {
  const { notes, output, run } = fakeTerminal({ env })
  const code = await run('doctor', '--json', ...args)
  expect(notes).toEqual([])
  if (env['PAYMENTS_API_KEY']) expect(output.join()).not.toContain(env['PAYMENTS_API_KEY'])
  const { ok, checks } = JSON.parse(output.join()) as { ok: boolean; checks: Record<string, string>[] }
  return { code, ok, ...checks.find((check) => check['name'] === name) }
}

const envFor = (url: string) => ({ PAYMENTS_API_KEY: 'key-1', PAYMENTS_BASE_URL: url })

/** The expected result of a check that fails or passes. */
const failure = (detail: string | RegExp, fix: string | RegExp) => {
  const like = (text: string | RegExp) =>
    typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)
  return { code: 1, ok: false, status: 'failed', detail: like(detail), fix: like(fix) }
}
const success = (detail: string) => ({ code: 0, ok: true, status: 'ok', detail })

describe('payments-client doctor', () => {
  it('exits with code 0 if all checks pass', async () => {
    const { output, run, sandbox } = await startService()

    expect(await run('doctor')).toBe(0)

    const statuses = output.slice(1).map((line) => line.split(/ {2,}/).slice(0, 2))
    expect(statuses).toEqual([
      ['ok', 'Node'],
      ['ok', 'API key'],
      ['skipped', 'webhook secret'],
      ['ok', 'base URL'],
      ['skipped', 'TLS'],
      ['ok', 'version'],
      ['ok', 'clock'],
    ])
    expect(output.join()).not.toContain(sandbox.apiKey)
    expect(output.join()).not.toContain('Fix:')
    expect(sandbox.ledger).toEqual([])
  })

  const withKey = (key: string) => async () => ({ ...(await startService()).env, PAYMENTS_API_KEY: key })
  const withUrl = (url: string) => () => envFor(url)
  const withoutServer = async () => envFor(await closedUrl())
  const withResponse = (status: number, body: string) => async () =>
    envFor(await serve((_, response) => void response.writeHead(status).end(body)))

  it.each([
    ['a missing API key', 'API key', withKey(''), 'PAYMENTS_API_KEY is not set', 'set PAYMENTS_API_KEY'],
    ['a wrong API key', 'API key', withKey('a-wrong-key'), '401', 'set PAYMENTS_API_KEY'],
    [
      'a proxy that rejects the API key',
      'API key',
      withResponse(403, '<html>'),
      'rejects the key (403)',
      'set PAYMENTS',
    ],
    ['a missing base URL', 'base URL', withUrl(''), 'is not set', 'https'],
    ['a base URL without a scheme', 'base URL', withUrl('payments'), 'is not a URL', 'https'],
    ['an insecure base URL', 'base URL', withUrl('http://api.test'), 'must use https', 'https'],
    ['a base URL without a server', 'base URL', withoutServer, 'ECONNREFUSED', 'check the host'],
    ['a base URL with a wrong path', 'base URL', withResponse(404, ''), '404', 'check the host'],
    ['a website', 'base URL', withResponse(200, '<html>'), 'not from the payments service', 'check the host'],
    ['a failing service', 'base URL', withResponse(503, ''), '503', 'try again later'],
  ])('reports %s', async (_, name, envOf, detail, fix) => {
    expect(await check(name, await envOf())).toMatchObject(failure(detail, fix))
  })

  it('hides an API key that is part of the base URL', async () => {
    const env = { PAYMENTS_API_KEY: 'key-1234', PAYMENTS_BASE_URL: 'https://key-1234.invalid' }

    expect(await check('base URL', env)).toMatchObject(failure(/^the host: /, 'check the host'))
  })

  it.each([
    ['self-signed', { host: 'localhost' }, 'SELF_SIGNED', 'NODE_EXTRA_CA_CERTS'],
    ['expired', { host: 'localhost', expired: true }, 'EXPIRED', 'renew the certificate'],
    ['issued for another host', { host: 'other.test' }, 'ALTNAME', 'use the host name of the certificate'],
  ])('reports a certificate that is %s', async (kind, options, detail, fix) => {
    const issued = certificate(options)
    if (kind !== 'self-signed') trust(issued)

    expect(await check('TLS', envFor(await serve(() => {}, issued)))).toMatchObject(failure(detail, fix))
  })

  it('accepts a valid TLS certificate', async () => {
    const issued = certificate({ host: 'localhost' })
    trust(issued)
    const url = await serve((_, response) => void response.writeHead(401).end('{}'), issued)

    const detail = `the certificate of ${new URL(url).host} is valid`
    expect(await check('TLS', envFor(url))).toMatchObject({ code: 1, status: 'ok', detail })
  })

  it('reports an https URL whose port does not use TLS', async () => {
    const { env } = await startService()
    const url = String(env['PAYMENTS_BASE_URL']).replace('http:', 'https:')

    expect(await check('TLS', envFor(url))).toMatchObject(failure('is not secure', 'check the port'))
  })

  it.each([
    [600, '10 minutes behind the service'],
    [-600, '10 minutes ahead of the service'],
  ])('reports a server clock that is off by %d seconds', async (seconds, detail) => {
    const url = await serve((_, response) => {
      const date = new Date(Date.now() + seconds * 1000).toUTCString()
      response.writeHead(200, { date, 'content-type': 'application/json' }).end('{"data":[]}')
    })

    expect(await check('clock', envFor(url))).toMatchObject(failure(detail, 'NTP'))
  })

  it.each([
    ['3.0', '--api-version 2021-09-27 or 2.1'],
    ['2.1', '--api-version 2021-09-27'],
  ])('reports that the service rejects version %s, and suggests known versions', async (version, fix) => {
    const result = await check('version', await withResponse(400, '{}')(), '--api-version', version)

    expect(result).toMatchObject(failure(`the service rejects version ${version} (400)`, fix))
  })

  it.each(['20.19.0', '22.12.0'])('rejects the Node version %s', async (node) => {
    const { env } = await startService()
    Object.defineProperty(process, 'versions', { value: { ...versions, node } })

    const result = await check('Node', env)

    expect(result).toMatchObject(failure(`version ${node} is too old`, 'install Node 22.13'))
  })

  it.each([
    ['shop-secret', 'is too short: it must have at least 16 bytes'],
    [' '.repeat(20), 'contains only white space'],
    ['"a-secret-of-24-characters"', 'is padded with white space or quotes'],
    ['a-secret-of-24-characters,', 'Signing secret 2 of 2 is empty'],
  ])('reports an invalid webhook secret without printing it: %j', async (secret, detail) => {
    const { env } = await startService()

    const result = await check('webhook secret', { ...env, PAYMENTS_WEBHOOK_SECRET: secret })

    expect(result).toMatchObject(failure(detail, 'set PAYMENTS_WEBHOOK_SECRET'))
    expect(JSON.stringify(result)).not.toContain(secret.trim() || secret)
  })

  it.each([
    ['a-secret-of-24-characters', 'the secret has a valid format'],
    ['a-secret-of-24-characters,another-secret-of-32-characters', '2 secrets have a valid format'],
  ])('accepts the webhook secret %s', async (secret, detail) => {
    const { env } = await startService()

    const result = await check('webhook secret', { ...env, PAYMENTS_WEBHOOK_SECRET: secret })

    expect(result).toMatchObject(success(detail))
  })
})
