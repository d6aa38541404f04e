import type { ApiVersion } from './contract/version.js'
import type { Attempt, Outcome, PaymentsError } from './errors.js'
import type { HeadersOption } from './internal/headers.js'
import type { Issue } from './internal/issues.js'

/** A function with the signature of `fetch`. The SDK passes the URL as a string. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Creates the idempotency key of a call from the operation (`payments.capture`), its path parameters and its body. If it
 * returns `undefined`, no key is sent, and the call is never retried after an ambiguous failure.
 */
export type IdempotencyKeyFunction = (
  operation: string,
  params: Readonly<Record<string, string>>,
  body: unknown,
) => string | undefined | Promise<string | undefined>

/**
 * Remembers which request an idempotency key belongs to. It is called before a keyed request is sent, so that a process can
 * retry its call after a restart, and cannot use the key for another request by mistake.
 */
export interface IdempotencyStore {
  /**
   * Stores `fingerprint` under `key` unless a fingerprint is stored there already, in one atomic step.
   *
   * @param key The idempotency key.
   * @param fingerprint A hash of the request.
   * @returns The stored fingerprint. Keep it for as long as the call may be retried.
   */
  claim(key: string, fingerprint: string): string | Promise<string>
}

/** Options of a client. */
export interface ClientOptions<V extends ApiVersion = '2021-09-27'> {
  /**
   * The API key, or a function that returns it. The function is called for each attempt, so keys may rotate.
   * @default the environment variable PAYMENTS_API_KEY
   */
  apiKey?: string | (() => string | Promise<string>)
  /**
   * The service's URL: https, or http on loopback only. A path prefix is kept.
   * @default the environment variable PAYMENTS_BASE_URL
   */
  baseUrl?: string | URL
  /** Sent as `X-Api-Version`. Determines the types and checks of requests and responses. @default '2021-09-27' */
  apiVersion?: V
  /**
   * The source of idempotency keys: `'auto'` creates a UUID per call, `'off'` sends none, a function creates your own.
   * @default 'auto'
   */
  idempotency?: 'auto' | 'off' | IdempotencyKeyFunction
  /** Remembers across restarts which request a key belongs to. @default none */
  idempotencyStore?: IdempotencyStore
  /** Limit for one attempt, including reading the response, in milliseconds. @default 90000 */
  timeout?: number
  /** Limit for the whole call, including all attempts and waits, in milliseconds. @default 120000 */
  totalTimeout?: number
  /** Attempts after the first, if a retry is safe. @default 2 */
  maxRetries?: number
  /**
   * The treatment of a response that violates the contract: `'throw'`; `'report'` returns it and calls
   * `hooks.onResponseIssue`; `'off'` skips the check.
   * @default 'throw'
   */
  responseValidation?: 'throw' | 'report' | 'off'
  /** The largest response to read, after decompression, in bytes. @default 10485760 */
  maxResponseBytes?: number
  /** Attempts in flight at the same time. Further attempts are queued. @default 100 */
  maxConnections?: number
  /** Headers of every request. The headers that the SDK sets itself are rejected. @default none */
  headers?: HeadersOption
  /** Your application, appended to `User-Agent`: `payments-client/1.1.0 shop/2.0 (https://shop.example)`. @default none */
  appInfo?: AppInfo
  /**
   * An `http.Agent` or `https.Agent` of Node, for proxies, client certificates and private authorities. The agent of undici's
   * fetch has no effect on requests over `node:http`: pass that fetch instead.
   * @default an agent that keeps connections open
   */
  agent?: HttpAgent
  /**
   * Sends the requests, for example undici's `fetch` with a dispatcher of your own. A dispatcher that was set with
   * `setGlobalDispatcher` is used unless it is a plain `Agent`; options of such an `Agent` cannot be detected.
   * @default `node:http` on Node; the runtime's fetch elsewhere, and if the global fetch or its dispatcher was replaced
   */
  fetch?: Fetch
  /** Functions that receive the events of each call. @default none */
  hooks?: Hooks
  /** Receives redacted log lines. @default none, or `console` if the environment variable PAYMENTS_LOG is set */
  logger?: Logger
  /** The least severe level that is logged. @default the environment variable PAYMENTS_LOG, else 'warn' */
  logLevel?: LogLevel
  /** Permits a client in a browser, where every visitor can read the API key. @default false */
  dangerouslyAllowBrowser?: boolean
}

/** An application that uses the SDK. */
export interface AppInfo {
  /** Letters, digits, hyphens and underscores, for example `shop`. */
  name: string
  version?: string
  url?: string
}

/** The part of Node's `http.Agent` that the SDK checks. */
export interface HttpAgent {
  addRequest(...args: never[]): void
}

/** The severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off'

/** Options of one call. */
export interface RequestOptions {
  /** Aborts the call with an `AbortedError`. @default none */
  signal?: AbortSignal
  /** Limit for one attempt, in milliseconds. @default the client's */
  timeout?: number
  /** Limit for the whole call, in milliseconds. @default the client's */
  totalTimeout?: number
  /** Attempts after the first, if a retry is safe; 0 to 100. @default the client's */
  maxRetries?: number
  /** Further headers. The headers that the SDK sets itself are rejected. @default none */
  headers?: HeadersOption
}

/** Options of an operation that takes an idempotency key. */
export interface IdempotentRequestOptions extends RequestOptions {
  /** 1 to 255 visible ASCII characters. Two calls with the same key take effect once. @default from `idempotency` */
  idempotencyKey?: string
}

/** Options of an operation that a caller may allow to be retried. */
export interface ResendableRequestOptions extends RequestOptions {
  /** Retries after an ambiguous failure, although the operation may then take effect twice. @default false */
  resend?: boolean
}

/** The fields of every event of an attempt. No event holds a secret. */
export interface CallEvent {
  /** The same for every event, log line, error and response of one call. */
  readonly callId: string
  /** For example `payments.capture`. */
  readonly operation: string
  readonly method: string
  /** Path template, for example `/payments/:id/capture`. */
  readonly path: string
  /** 1 for the first. */
  readonly attempt: number
  readonly idempotencyKey?: string
}

/** A request is about to be sent. */
export interface RequestEvent extends CallEvent {
  /** Your own headers of this request. Changes made before the hook returns are sent. */
  readonly headers: Headers
}

/** The headers of a response arrived. */
export interface ResponseEvent extends CallEvent {
  readonly status: number
  readonly durationMs: number
}

/** A retry is scheduled. */
export interface RetryEvent extends CallEvent {
  readonly delayMs: number
  /** The reason, for example `503` or `ECONNRESET`. */
  readonly reason: string
}

/** A response violated the contract in a way that this hook has not received before. */
export interface ResponseIssueEvent extends CallEvent {
  readonly issue: Issue
}

/** A call ended. */
export interface ResultEvent {
  readonly callId: string
  readonly operation: string
  readonly outcome: 'succeeded' | Outcome
  /** HTTP status of the last response, if one arrived. */
  readonly status?: number
  readonly attempts: readonly Attempt[]
  /** Duration of the whole call. */
  readonly durationMs: number
  readonly error?: PaymentsError
}

/** Functions that receive events. They are not awaited. If one throws, the error is logged and the call is unaffected. */
export interface Hooks {
  onRequest?: (event: RequestEvent) => void
  onResponse?: (event: ResponseEvent) => void
  onRetry?: (event: RetryEvent) => void
  onResponseIssue?: (event: ResponseIssueEvent) => void
  /** Called once per call. */
  onResult?: (event: ResultEvent) => void
}

/** The destination of log lines, for example `console` or a pino logger. */
export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
