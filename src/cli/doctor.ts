import type { Command } from '@commander-js/extra-typings'
import { PaymentsClient } from '../client.js'
import { carts } from '../core/contract/version.js'
import { ApiError, ConfigurationError, ConnectionError, PaymentsError, TimeoutError } from '../core/errors.js'
import { isTlsFailure } from '../core/transport/http/connection-error.js'
import { serviceTime } from '../core/transport/retry-after.js'
import { isPadded, readSecrets } from '../webhooks/secrets.js'
import { addServiceCommand, type Connection, loggerOptions } from './client.js'
import { CommandFailed } from './command.js'
import { createTable } from './table.js'
import type { Terminal } from './terminal.js'
import { secretVariable } from './webhooks.js'

const names = ['Node', 'API key', 'webhook secret', 'base URL', 'TLS', 'version', 'clock'] as const

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
    .addHelpText('after', '\nDoes not change any data.')
    .action(async ({ json, ...connection }) => {
      const results: Checks = {
        Node: checkNode(),
        'webhook secret': checkWebhookSecret(terminal.env),
        ...(await checkService(terminal, connection)),
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
  const isQuotedOrPadded = secrets.some((secret) => isPadded(secret) || /^(["']).*\1$/.test(secret))
  if (isQuotedOrPadded) return failed('the secret is padded with white space or quotes', fix)
  return ok(secrets.length === 1 ? 'the secret has a valid format' : `${secrets.length} secrets have a valid format`)
}

/** Checks the environment variables and the connection. Sends a request only if the base URL is valid. */
async function checkService(terminal: Terminal, { apiVersion }: Connection): Promise<Checks> {
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
  const { host: actualHost, protocol } = new URL(baseUrl)
  // Hides a host that contains the key, because the user may have set the base URL to the key by mistake.
  const host = apiKey.length > 3 && actualHost.includes(apiKey.toLowerCase()) ? 'the host' : actualHost
  const client = new PaymentsClient({
    baseUrl,
    // Sends the request even without a valid key, because it still tests the connection and the clock.
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
  return checks
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

/** Checks the version, based on the response to a request whose key was accepted. */
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
