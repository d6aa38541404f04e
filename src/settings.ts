import type { ApiVersion } from './contract/version.js'
import { ConfigurationError } from './errors.js'
import { blockedPorts } from './internal/blocked-ports.js'
import { describeIssues } from './internal/issues.js'
import {
  checkOptions,
  func,
  integer,
  milliseconds,
  oneOf,
  type Problem,
  type Rules,
  rule,
  withMethods,
} from './internal/options.js'
import type { ClientOptions, Hooks } from './options.js'

/** The checked options of a client. */
export type Settings = Readonly<
  Required<Omit<ClientOptions<ApiVersion>, 'baseUrl' | 'fetch' | 'logger' | 'idempotencyStore'>> &
    Pick<ClientOptions, 'fetch' | 'logger' | 'idempotencyStore'> & { baseUrl: URL }
>

const defaults = {
  apiVersion: '2021-09-27',
  idempotency: 'auto',
  timeout: 90_000,
  totalTimeout: 120_000,
  maxRetries: 2,
  responseValidation: 'throw',
  maxResponseBytes: 10 * 1024 * 1024,
  maxConnections: 100,
  hooks: {},
} as const

const hookRules: Rules<Hooks> = { onRequest: func, onResponse: func, onRetry: func, onResponseIssue: func }

const rules: Rules<ClientOptions<ApiVersion>> = {
  apiKey: (value) => (typeof value === 'function' ? undefined : apiKeyProblem(value)),
  baseUrl: baseUrlProblem,
  apiVersion: rule(
    (value) => typeof value === 'string' && /^[!-~]{1,100}$/.test(value),
    'must be a version, such as 2021-09-27',
  ),
  idempotency: (value) => (typeof value === 'function' ? undefined : idempotencyMode(value)),
  idempotencyStore: withMethods('claim'),
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: integer(0, 100),
  responseValidation: oneOf('throw', 'report', 'off'),
  maxResponseBytes: integer(1),
  maxConnections: integer(1),
  fetch: func,
  hooks: (value) => checkOptions(value, hookRules, { noun: 'hook' }).issues[0] as Problem | undefined,
  logger: withMethods('debug', 'info', 'warn', 'error'),
}

const idempotencyMode = rule(
  (value) => value === 'auto' || value === 'off',
  "must be 'auto', 'off' or a function",
  'invalid_value',
)

/** Resolves the options of a new client: given, else from the environment, else the default. */
export function resolveSettings(options: unknown): Settings {
  const given = checked(options)
  return createSettings({
    ...defaults,
    ...given,
    apiKey: given.apiKey ?? fromEnvironment('apiKey', 'PAYMENTS_API_KEY'),
    baseUrl: given.baseUrl ?? fromEnvironment('baseUrl', 'PAYMENTS_BASE_URL'),
  })
}

/** Resolves the options of a copy: given, else the original's. */
export function overrideSettings(settings: Settings, overrides: unknown): Settings {
  const given = checked(overrides)
  if (given.maxConnections !== undefined) {
    throw new ConfigurationError(
      'The option maxConnections cannot be changed in a copy, because copies share connections: create a new client',
    )
  }
  return createSettings({ ...settings, ...given })
}

function checked(options: unknown): Partial<ClientOptions<ApiVersion>> {
  const { values, issues } = checkOptions<ClientOptions<ApiVersion>>(options, rules)
  if (issues.length > 0) throw new ConfigurationError(`Invalid client options: ${describeIssues(issues)}`)
  return values
}

function fromEnvironment(name: 'apiKey' | 'baseUrl', variable: string): string {
  const value = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[variable]
  if (value === undefined) {
    throw new ConfigurationError(`No ${name}: pass the option, or set the environment variable ${variable}`)
  }
  const problem = rules[name](value)
  if (problem) throw new ConfigurationError(`The environment variable ${variable} ${problem.message}`)
  return value
}

function createSettings(values: Omit<Settings, 'baseUrl'> & { baseUrl: string | URL }): Settings {
  return Object.freeze({ ...values, baseUrl: new URL(values.baseUrl) })
}

/** Rejects an invalid API key without repeating it. */
export function apiKeyProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'string')
    return { code: 'invalid_type', message: 'must be a string, or a function that returns it' }
  const invalid = (message: string): Problem => ({ code: 'invalid_value', message })
  if (value === '' || value === 'undefined' || value === 'null') return invalid('is empty')
  return /^[!-~]+$/.test(value) ? undefined : invalid('contains a space, a line break or a character outside ASCII')
}

function baseUrlProblem(value: unknown): Problem | undefined {
  if (!(typeof value === 'string' || value instanceof URL)) return { code: 'invalid_type', message: 'must be a URL' }
  const invalid = (message: string): Problem => ({ code: 'invalid_value', message })
  if (!URL.canParse(String(value))) return invalid('is not a URL')
  const url = new URL(String(value))
  if (url.username !== '' || url.password !== '') return invalid('must not contain a user name or password')
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(String(value))) {
    return invalid('must not have a query or fragment')
  }
  if (url.port !== '' && blockedPorts.has(Number(url.port))) {
    return invalid(`must not have the port ${url.port}, which the Fetch Standard blocks`)
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  return invalid('must use https (http only for loopback addresses)')
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
