import type { ApiVersion } from './contract/version.js'
import { ConfigurationError } from './errors.js'
import { blockedPorts } from './internal/blocked-ports.js'
import { unknownName } from './internal/suggestions.js'
import type { ClientOptions, Hooks } from './options.js'

/** The options of a client, resolved and checked once. */
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
} as const

type Rule = (value: unknown) => string | undefined

/** What each option must be. The keys are the option names. */
const rules: Record<keyof ClientOptions, Rule> = {
  apiKey: (value) => (typeof value === 'function' ? undefined : apiKeyProblem(value)),
  baseUrl: baseUrlProblem,
  apiVersion: (value) =>
    typeof value === 'string' && /^[!-~]{1,100}$/.test(value) ? undefined : 'must be a version, such as 2021-09-27',
  idempotency: (value) =>
    value === 'auto' || value === 'off' || typeof value === 'function'
      ? undefined
      : "must be 'auto', 'off' or a function",
  idempotencyStore: (value) =>
    typeof Object(value).claim === 'function' ? undefined : 'must have a function claim(key, fingerprint)',
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: retries,
  responseValidation: (value) =>
    ['throw', 'report', 'off'].includes(value as string) ? undefined : "must be 'throw', 'report' or 'off'",
  maxResponseBytes: atLeastOne,
  maxConnections: atLeastOne,
  fetch: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  hooks: hooksProblem,
  logger: (value) => {
    const missing = ['debug', 'info', 'warn', 'error'].filter((level) => typeof Object(value)[level] !== 'function')
    return missing.length === 0 ? undefined : `must have the functions debug, info, warn and error`
  },
}

/** Resolve the options of a new client: given, else from the environment, else the default. */
export function resolveSettings(options: object): Settings {
  return settle({ ...defaults, hooks: {}, ...given(options) })
}

/** Resolve the options of a copy: given, else the original's. */
export function overrideSettings(settings: Settings, overrides: object): Settings {
  return settle({ ...settings, ...given(overrides) })
}

/** The options that were really given: own and not undefined, so that nothing inherited and no slip takes effect. */
function given(options: object): Record<string, unknown> {
  if (typeof options !== 'object' || options === null) throw new ConfigurationError('The options must be an object')
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(rules, name))
      throw new ConfigurationError(`The option "${name}" ${unknownName(name, Object.keys(rules))}`)
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function settle(values: Record<string, unknown>): Settings {
  const settings: Record<string, unknown> = Object.assign(Object.create(null), values)
  for (const [name, environmentName] of [
    ['apiKey', 'PAYMENTS_API_KEY'],
    ['baseUrl', 'PAYMENTS_BASE_URL'],
  ] as const) {
    if (settings[name] === undefined) settings[name] = environment(environmentName)
    if (settings[name] === undefined) {
      throw new ConfigurationError(`No ${name}: give the option, or set the environment variable ${environmentName}`)
    }
  }
  for (const [name, rule] of Object.entries(rules)) {
    const problem = settings[name] === undefined ? undefined : rule(settings[name])
    if (problem) throw new ConfigurationError(`The option "${name}" ${problem}`)
  }
  settings['baseUrl'] = new URL(String(settings['baseUrl']))
  return Object.freeze(settings) as unknown as Settings
}

function environment(name: string): string | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name]
}

/** What is wrong with an API key, without repeating it. */
export function apiKeyProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text, or a function that returns it'
  if (value === '' || value === 'undefined' || value === 'null') return 'is empty'
  return /^[!-~]+$/.test(value) ? undefined : 'has a space, a line break or another character that no key has'
}

function baseUrlProblem(value: unknown): string | undefined {
  if (!(typeof value === 'string' || value instanceof URL)) return 'must be a URL'
  if (!URL.canParse(String(value))) return 'is not a URL'
  const url = new URL(String(value))
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(String(value))) return 'must not have a query or fragment'
  if (url.port !== '' && blockedPorts.has(Number(url.port)))
    return `must not have the port ${url.port}, which fetch refuses`
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  return 'must use https (http is for loopback addresses only)'
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

/** The longest time that timers can wait for. */
const longestTimer = 2 ** 31 - 1

export function milliseconds(value: unknown): string | undefined {
  return typeof value === 'number' && value >= 1 && value <= longestTimer
    ? undefined
    : `must be a number of milliseconds from 1 to ${longestTimer}`
}

export function retries(value: unknown): string | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100
    ? undefined
    : 'must be an integer from 0 to 100'
}

function atLeastOne(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 1 ? undefined : 'must be an integer of at least 1'
}

const hookNames: Record<keyof Hooks, true> = { onRequest: true, onResponse: true, onRetry: true, onResponseIssue: true }

function hooksProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'must be an object of functions'
  for (const [name, hook] of Object.entries(value)) {
    if (!Object.hasOwn(hookNames, name))
      return `has a hook "${name}", which ${unknownName(name, Object.keys(hookNames))}`
    if (hook !== undefined && typeof hook !== 'function') return `has a hook "${name}" that is no function`
  }
  return undefined
}
