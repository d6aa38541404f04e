import type { Except, SetOptional } from 'type-fest'
import * as z from 'zod'
import type { ApiVersion } from './contract/version.js'
import { ConfigurationError } from './errors.js'
import { isUrl } from './internal/foreign.js'
import { headersProblem, toHeaders } from './internal/headers.js'
import { describeIssues, type Issue } from './internal/issues.js'
import { journalFunctions } from './internal/journal-functions.js'
import { isObject } from './internal/objects.js'
import { plainObjectProblem } from './internal/plain-data.js'
import { type Runtime, runtimeIn, systemRuntime } from './internal/runtime.js'
import {
  boolean,
  checkedBy,
  checkOptions,
  custom,
  func,
  integer,
  invalidType,
  invalidValue,
  matching,
  milliseconds,
  optionsOf,
  type Problem,
  problemWith,
  requireOptions,
  withMethods,
} from './internal/validation.js'
import type { AppInfo, ClientOptions, Hooks, LogLevel } from './options.js'
import { version } from './version.js'

type Given = ClientOptions<ApiVersion>
type Optional = 'agent' | 'fetch' | 'logger' | 'journal'
type Converted = 'appInfo' | 'baseUrl' | 'headers' | 'dangerouslyAllowBrowser'

export type Settings = Readonly<
  Except<SetOptional<Required<Given>, Optional>, Converted> & {
    baseUrl: URL
    headers: Readonly<Record<string, string>>
    userAgent: string
    runtime: Runtime
  }
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
  query: {},
  hooks: {},
  runtime: systemRuntime,
} as const

const hooks = optionsOf<Hooks>({
  onRequest: func(),
  onResponse: func(),
  onRetry: func(),
  onResponseIssue: func(),
  onResult: func(),
})

const headerToken = /^[\w!#$%&'*+.^`|~-]+$/
const headerTokenMessage = 'must contain only ASCII letters, digits and characters such as - . _, without spaces'

const appInfo = optionsOf<AppInfo>(
  {
    name: matching(headerToken, headerTokenMessage),
    version: matching(headerToken, headerTokenMessage),
    url: matching(/^[!-'*-~]+$/, 'must be a URL'),
  },
  ['name'],
)

const logLevel = z.enum(['debug', 'info', 'warn', 'error', 'off'])

const emptyOrLogLevel = checkedBy((value) => (value === '' ? undefined : problemWith(logLevel, value)))

export const schema = optionsOf<Given>({
  apiKey: checkedBy((value) => (typeof value === 'function' ? undefined : apiKeyProblem(value))),
  baseUrl: checkedBy(baseUrlProblem),
  apiVersion: matching(/^[!-~]{1,100}$/, 'must be a version, such as 2021-09-27') as z.ZodType<ApiVersion>,
  idempotency: custom(
    (value) => value === 'auto' || value === 'off' || typeof value === 'function',
    "must be 'auto', 'off' or a function",
    'invalid_value',
  ),
  journal: custom(
    (value) => Object(value)[journalFunctions] !== undefined,
    'must be a journal from createJournal or createMemoryJournal',
  ),
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: integer(0, 100),
  responseValidation: z.enum(['throw', 'report', 'off']),
  maxResponseBytes: integer(1),
  maxConnections: integer(1),
  headers: checkedBy(headersProblem),
  query: checkedBy((value) =>
    isObject(value) &&
    Object.entries(value)
      .flat()
      .every((text) => typeof text === 'string' && text.isWellFormed())
      ? plainObjectProblem(value)
      : invalidType('must be an object whose values are strings'),
  ),
  appInfo: checkedBy((value) => {
    const [issue] = checkOptions(value, appInfo, { noun: 'field' }).issues
    return issue?.code === 'missing' ? { code: 'missing', message: 'must have a name' } : issue
  }),
  agent: withMethods('addRequest'),
  fetch: func(),
  hooks: checkedBy((value) => checkOptions(value, hooks, { noun: 'hook', methods: true }).issues[0]),
  logger: withMethods('debug', 'info', 'warn', 'error'),
  logLevel,
  dangerouslyAllowBrowser: boolean,
})

/** Resolves each option of a new client: the constructor's argument, else an environment variable, else the default. */
export function resolveSettings(options: unknown): Settings {
  const given = checked(options)
  if (Object(globalThis).window?.document && !given.dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'A browser shows the API key to every visitor: use the client in your backend, or set dangerouslyAllowBrowser',
    )
  }
  const level = (fromEnvironment('PAYMENTS_LOG', emptyOrLogLevel) || undefined) as LogLevel | undefined
  return createSettings({
    ...defaults,
    logLevel: level ?? 'warn',
    logger: level && console,
    ...given,
    apiKey: given.apiKey ?? required('apiKey', 'PAYMENTS_API_KEY'),
    baseUrl: given.baseUrl ?? required('baseUrl', 'PAYMENTS_BASE_URL'),
    headers: given.headers ?? {},
    userAgent: '',
  })
}

/** Resolves the options of a copied client. Omitted options keep the original client's values. */
export function overrideSettings(settings: Settings, overrides: unknown): Settings {
  const given = checked(overrides)
  if (given.maxConnections !== undefined) {
    throw new ConfigurationError(
      'The option maxConnections cannot be changed in a copy, because copies share connections: create a new client',
    )
  }
  const changed = createSettings({ ...settings, ...given })
  const isOtherService = serviceOf(changed) !== serviceOf(settings) || changed.apiKey !== settings.apiKey
  if (settings.journal && given.journal === undefined && isOtherService) {
    throw new ConfigurationError(
      'A journal belongs to one service and account: if you change baseUrl or apiKey, also pass the option journal',
    )
  }
  return changed
}

/** Returns the origin and the path of the base URL, which identify the service. */
export function serviceOf({ baseUrl }: Pick<Settings, 'baseUrl'>): string {
  return baseUrl.origin + basePathOf(baseUrl)
}

function checked(options: unknown): Partial<Given & { runtime: Runtime }> {
  // A string that is not a URL is probably the API key, because other SDKs take the API key as the first argument.
  if (typeof options === 'string' && !URL.canParse(options)) {
    throw new ConfigurationError('Pass the options in an object: new PaymentsClient({ apiKey, baseUrl })')
  }
  const fail = (issues: Issue[]) => new ConfigurationError(`Invalid client options: ${describeIssues(issues)}`)
  return { ...requireOptions(options, schema, { fail }), ...runtimeIn(options) }
}

function required(name: 'apiKey' | 'baseUrl', variable: string): string {
  const value = fromEnvironment(variable, schema.shape[name])
  if (value !== undefined) return value
  throw new ConfigurationError(`No ${name}: pass the option, or set the environment variable ${variable}`)
}

function fromEnvironment(variable: string, schema: z.ZodType): string | undefined {
  const value: string | undefined = Object(globalThis).process?.env?.[variable]
  const problem = value === undefined ? undefined : problemWith(schema, value)
  if (problem) throw new ConfigurationError(`The environment variable ${variable} ${problem.message}`)
  return value
}

type Unconverted = Except<Settings, 'baseUrl' | 'headers'> & Pick<Given, Converted>

function createSettings({ appInfo, ...values }: Unconverted): Settings {
  if (values.agent && values.fetch) {
    throw new ConfigurationError(
      'Pass only one of the options agent and fetch: a custom fetch opens its own connections',
    )
  }
  const baseUrl = new URL(values.baseUrl as string | URL)
  return Object.freeze({
    ...values,
    baseUrl,
    headers: toHeaders(values.headers),
    query: { ...values.query },
    userAgent: appInfo || values.userAgent === '' ? userAgentOf(appInfo) : values.userAgent,
  })
}

/** Returns the path of the base URL, without a slash at the end. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

function userAgentOf({ name, version: appVersion, url }: Partial<AppInfo> = {}): string {
  const app = name && ` ${name}${appVersion ? `/${appVersion}` : ''}${url ? ` (${url})` : ''}`
  return `payments-client/${version}${app ?? ''}`
}

/** Checks an API key. The returned problem does not contain the key. */
export function apiKeyProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'string') return invalidType('must be a string, or a function that returns it')
  if (value === '' || value === 'undefined' || value === 'null') return invalidValue('is empty')
  return /^[!-~]+$/.test(value)
    ? undefined
    : invalidValue('contains a space, a line break or a character outside ASCII')
}

function baseUrlProblem(value: unknown): Problem | undefined {
  if (!(typeof value === 'string' || isUrl(value))) return invalidType('must be a URL')
  if (!URL.canParse(String(value))) return invalidValue('is not a URL, such as https://api.example.com')
  const url = new URL(String(value))
  if (url.username !== '' || url.password !== '') return invalidValue('must not contain a user name or password')
  if (/[?#]/.test(String(value))) {
    return invalidValue('must not have a query or fragment')
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined
  return invalidValue('must use https (http is allowed only for loopback addresses)')
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
