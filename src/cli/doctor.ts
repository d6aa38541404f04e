import http from 'node:http'
import https from 'node:https'
import { type Command, Option } from '@commander-js/extra-typings'
import { PaymentsClient } from '../client.js'
import type { AnyOperation } from '../core/contract/operation.js'
import { allOperations } from '../core/contract/operations.js'
import { carts } from '../core/contract/version.js'
import { ApiError, ConfigurationError, ConnectionError, PaymentsError, TimeoutError } from '../core/errors.js'
import { isTlsFailure } from '../core/transport/http/connection-error.js'
import { serviceTime } from '../core/transport/retry-after.js'
import { readSecrets } from '../webhooks/secrets.js'
import { addServiceCommand, type Connection, loggerOptions } from './client.js'
import { CommandFailed, UsageError } from './command.js'
import { openTunnel, ProxyError, proxyAgent, proxyFor, proxyVariable } from './proxy.js'
import { createTable } from './table.js'
import type { Terminal } from './terminal.js'
import { secretVariable } from './webhooks.js'

const names = ['Node', 'API key', 'webhook secret', 'proxy', 'base URL', 'TLS', 'version', 'clock', 'scopes'] as const

interface Check {
  /** `skipped` if another check failed, or if the check does not apply. */
  readonly status: 'ok' | 'failed' | 'skipped'
  readonly detail: string
  readonly fix?: string
}

type Checks = Partial<Record<(typeof names)[number], Check>>

const ok = (detail: string): Check => ({ status: 'ok', detail })
const failed = (detail: string, fix: string): Check => ({ status: 'failed', detail, fix })
const skipped = (detail: string): Check => ({ status: 'skipped', detail })

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  addServiceCommand(program, 'doctor', 'Check the configuration and the connection to the service', 'doctor')
    .addOption(
      new Option('--scopes <scope,…>', 'Scopes that the key needs, separated by commas (default: all)').argParser(
        (value) => value.split(','),
      ),
    )
    .addHelpText('after', '\nDoes not change any data.')
    .action(async ({ json, scopes, ...connection }) => {
      const unknown = scopes?.find((scope) => !scopedOperations.some((operation) => operation.scope === scope))
      if (unknown !== undefined) throw new UsageError(`--scopes: ${unknown} is not a scope of an operation`)
      const results: Checks = {
        Node: checkNode(),
        'webhook secret': checkWebhookSecret(terminal.env),
        ...(await checkService(terminal, connection, scopes)),
      }
      const checks = names.map((name) => ({ name, ...(results[name] ?? skipped('another check failed')) }))
      const isOk = checks.every(({ status }) => status !== 'failed')
      const lines = json
        ? [JSON.stringify({ ok: isOk, checks })]
        : createTable(
            'STATUS',
            'CHECK',
            'RESULT',
          )(
            checks.flatMap(({ status, name, detail, fix }) => [
              [status, name, detail],
              ...(fix === undefined ? [] : [['', '', `Fix: ${fix}`]]),
            ]),
          )
      terminal.print(...lines)
      if (!isOk) throw new CommandFailed()
    })
}

const dashboard = 'the developer area of the dashboard'
const newKey = `set PAYMENTS_API_KEY to an active key from ${dashboard}`
const timeoutMs = 15_000
const maxClockDifferenceSeconds = 60

function checkNode(): Check {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isSupported = major > 22 || (major === 22 && minor >= 13)
  return isSupported ? ok(`version ${node}`) : failed(`version ${node} is too old`, 'install Node 22.13 or later')
}

/**
 * Checks `PAYMENTS_WEBHOOK_SECRET` with the rules of `webhooks.diagnose`. The variable may contain several secrets,
 * separated by commas.
 */
function checkWebhookSecret({ [secretVariable]: value = '' }: Terminal['env']): Check {
  if (value === '') return skipped(`${secretVariable} is not set`)
  const fix = `set ${secretVariable} to the signing secret, exactly as ${dashboard} shows it`
  const secrets = value.split(',')
  try {
    readSecrets(secrets)
  } catch (error) {
    return failed((error as Error).message.replace(' 1 of 1', ''), fix)
  }
  const isPadded = secrets.some((secret) => secret !== secret.trim() || /^(["']).*\1$/.test(secret))
  if (isPadded) return failed('the secret is padded with white space or quotes', fix)
  return ok(secrets.length === 1 ? 'the secret has a valid format' : `${secrets.length} secrets have a valid format`)
}

async function checkProxy(
  { env, interrupted }: Terminal,
  url: URL,
  host: string,
  proxy: URL | undefined,
): Promise<Check> {
  if (proxy === undefined) {
    const variable = proxyVariable(env, url)
    return skipped(
      variable === undefined || env['NODE_USE_ENV_PROXY'] === '1'
        ? 'requests are sent directly'
        : `${variable} is set, but Node ignores it: set NODE_USE_ENV_PROXY=1, or pass --proxy`,
    )
  }
  const port = url.port || (url.protocol === 'https:' ? 443 : 80)
  try {
    const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), interrupted])
    const socket = await openTunnel(proxy, `${url.hostname}:${port}`, limit)
    socket.destroy()
    return ok(`${proxy.host} opens a connection to ${host}`)
  } catch (error) {
    if (interrupted.aborted || !(error instanceof ProxyError)) throw error
    const fix =
      error.reason === '407'
        ? 'put the user name and password into the URL of the proxy'
        : 'check --proxy and the environment variables HTTPS_PROXY and HTTP_PROXY'
    return failed(`the proxy ${proxy.host} does not open a connection to ${host} (${error.reason})`, fix)
  }
}

/** Checks the environment variables and the connection. Sends a request to the service only if the base URL is valid. */
async function checkService(
  terminal: Terminal,
  { apiVersion, proxy: proxyUrl }: Connection,
  scopes: readonly string[] | undefined,
): Promise<Checks> {
  const { PAYMENTS_API_KEY: apiKey = '', PAYMENTS_BASE_URL: baseUrl = '' } = terminal.env
  const keyProblem = apiKey === '' ? 'PAYMENTS_API_KEY is not set' : problemOf({ apiKey, baseUrl: 'http://localhost' })
  const urlProblem = baseUrl === '' ? 'PAYMENTS_BASE_URL is not set' : problemOf({ apiKey: 'key', baseUrl })
  const checks: Checks = {
    'API key': keyProblem ? failed(keyProblem, newKey) : skipped('set, but not tested, because another check failed'),
  }
  if (urlProblem) {
    return { ...checks, 'base URL': failed(urlProblem, 'set PAYMENTS_BASE_URL to the https URL of the service') }
  }
  const signal = terminal.interrupted
  const url = new URL(baseUrl)
  const { host: actualHost, protocol } = url
  // Hides a host that contains the key, because the user may have set the base URL to the key by mistake.
  const host = apiKey.length > 3 && actualHost.includes(apiKey.toLowerCase()) ? 'the host' : actualHost
  const proxy = proxyFor(terminal.env, url, proxyUrl)
  checks.proxy = await checkProxy(terminal, url, host, proxy)
  if (checks.proxy.status === 'failed') return checks
  const agent = proxy && proxyAgent(proxy, url)
  const client = new PaymentsClient({
    baseUrl,
    ...(agent && { agent }),
    // Without a valid key, the request still tests the connection and the clock.
    apiKey: keyProblem ? 'none' : apiKey,
    apiVersion,
    maxRetries: 0,
    timeout: timeoutMs,
    ...loggerOptions(terminal),
  })
  const { status, headers, error } = await readList(client, signal)
  if (headers) checks.clock = checkClock(headers)
  if (protocol === 'http:') checks.TLS = skipped(`${host} is on this machine, and uses http`)
  else if (headers) checks.TLS = ok(`the certificate of ${host} is valid`)
  else if (error instanceof ConnectionError && isTlsFailure(error.reason)) {
    return { ...checks, TLS: failed(`the connection to ${host} is not secure (${error.reason})`, tlsFix(error)) }
  }
  if (status === undefined || (error && ![400, 401, 403].includes(status))) {
    return { ...checks, 'base URL': failed(`${host}: ${describe(error, status)}`, urlFix(status)) }
  }
  checks['base URL'] = ok(`the service responds at ${host}`)
  if (keyProblem) return checks
  if (status === 401 || isProxyRejection(error)) {
    return { ...checks, 'API key': failed(`the service rejects the key (${status})`, newKey) }
  }
  checks['API key'] = ok('the service accepts the key')
  checks.version = checkVersion(apiVersion, error, status)
  return { ...checks, scopes: await checkScopes({ apiKey, baseUrl, apiVersion, scopes, agent, signal }) }
}

function problemOf(options: { apiKey: string; baseUrl: string }): string | undefined {
  try {
    new PaymentsClient(options)
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.replace('Invalid client options: ', '')
    throw error
  }
}

interface Exchange {
  readonly status?: number | undefined
  readonly headers?: Headers
  readonly error?: PaymentsError
}

async function readList(client: PaymentsClient<string>, signal: AbortSignal): Promise<Exchange> {
  try {
    return (await client.payments.list({ limit: 1 }, { signal }).withResponse()).response
  } catch (error) {
    if (signal.aborted || !(error instanceof PaymentsError)) throw error
    if (error instanceof ApiError) return { status: error.httpStatus, headers: error.headers, error }
    return { status: error.attempts?.at(-1)?.status, error }
  }
}

/** Returns whether a proxy in front of the service rejected the request: a 403 without the service's error format. */
function isProxyRejection(error: PaymentsError | undefined): boolean {
  return error instanceof ApiError && error.httpStatus === 403 && error.errorId === undefined
}

function describe(error: PaymentsError | undefined, status: number | undefined): string {
  if (error instanceof ConnectionError) return `the connection failed (${error.reason})`
  if (error instanceof ApiError) return `the response to GET /payments has status ${status}`
  return error instanceof TimeoutError
    ? `no response within ${timeoutMs / 1_000} seconds`
    : 'the response is not from the payments service'
}

function urlFix(status = 0): string {
  return status === 429 || status >= 500
    ? 'try again later: the service is overloaded or has a fault'
    : 'check the host, port and path in PAYMENTS_BASE_URL, and that this machine can reach it'
}

function tlsFix({ reason }: ConnectionError): string {
  if (/EXPIRED|NOT_YET_VALID/.test(reason)) return 'check the clock of this machine, and renew the certificate'
  if (/ALTNAME/.test(reason)) return 'use the host name of the certificate in PAYMENTS_BASE_URL'
  if (/SSL|EPROTO/.test(reason)) return 'check the port in PAYMENTS_BASE_URL: the server there does not use TLS'
  return 'set NODE_EXTRA_CA_CERTS to the file with the certificate of your proxy or private authority'
}

/** Checks the version with the response to a request whose key the service accepted. */
function checkVersion(version: string, error: PaymentsError | undefined, status: number | undefined): Check {
  if (!error) return ok(`the service responds in the format of version ${version}`)
  if (status !== 400) return skipped('needs the scope transactions:retrieve')
  const others = Object.keys(carts).filter((known) => known !== version)
  return failed(
    `the service rejects version ${version} (400)`,
    `pass another version: --api-version ${others.join(' or ')}`,
  )
}

function checkClock(headers: Headers): Check {
  const date = serviceTime(headers)
  if (date === undefined) return skipped('the response has no Date header')
  const seconds = Math.round((Date.now() - date) / 1_000)
  const size = Math.abs(seconds)
  const amount = size < 120 ? `${size} s` : `${Math.round(size / 60)} minutes`
  const detail = `${amount} ${seconds < 0 ? 'behind' : 'ahead of'} the service`
  const fix = 'synchronize the clock of this machine, for example with NTP'
  return size <= maxClockDifferenceSeconds ? ok(detail) : failed(detail, fix)
}

const scopedOperations = allOperations().filter(({ scope }) => scope !== undefined)

async function checkScopes(access: Access): Promise<Check> {
  const needed = scopedOperations.filter(({ scope }) => access.scopes?.includes(scope as string) ?? true)
  const results = await Promise.all(
    needed.map(async (operation) => ({ operation, result: await probe(operation, access) })),
  )
  const namesOf = (wanted: string) =>
    results
      .filter(({ result }) => result === wanted)
      .map(({ operation }) => operation.name)
      .join(', ')
  const missing = results.filter(({ result }) => result === 'forbidden').map(({ operation }) => operation.scope)
  const allowed = namesOf('allowed') || 'no operation'
  const unknown = namesOf('unknown')
  const detail = `the key may call ${allowed}${unknown && `; not tested: ${unknown}`}`
  if (missing.length === 0) return ok(detail)
  return failed(
    `${detail}; it cannot call ${namesOf('forbidden')}`,
    `add the scopes ${[...new Set(missing)].join(', ')} in ${dashboard}, or pass the scopes that you need: --scopes <scope,…>`,
  )
}

interface Access {
  readonly apiKey: string
  readonly baseUrl: string
  readonly apiVersion: string
  readonly scopes: readonly string[] | undefined
  readonly agent: http.Agent | undefined
  readonly signal: AbortSignal
}

/**
 * Tests whether the key may call an operation. The request has no effect, because its resource does not exist and its
 * body is not valid JSON.
 */
async function probe(operation: AnyOperation, { apiKey, baseUrl, apiVersion, agent, signal }: Access) {
  const path = operation.path.replace(/:\w+/g, () => `doctor-${crypto.randomUUID()}`)
  const isRead = operation.method === 'GET'
  const headers = { 'x-api-key': apiKey, 'x-api-version': apiVersion, 'content-type': 'application/json' }
  const options = {
    method: operation.method,
    headers,
    agent,
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]),
  }
  try {
    const url = `${baseUrl.replace(/\/+$/, '')}${path}${isRead ? '?limit=1' : ''}`
    const status = await statusOf(url, options, isRead ? '' : '{')
    if (status === 403) return 'forbidden'
    const isTested = status === 404 ? path !== operation.path : status < 500 && status !== 401 && status !== 429
    return isTested ? 'allowed' : 'unknown'
  } catch (error) {
    if (signal.aborted) throw error
    return 'unknown'
  }
}

/** Uses `node:http`, because `fetch` cannot use an `http.Agent`. */
function statusOf(url: string, options: http.RequestOptions, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? https : http).request(url, options, (response) => {
      response.resume()
      resolve(response.statusCode as number)
    })
    request.on('error', reject)
    request.end(body)
  })
}
