import type { ApiVersion } from './contract/version.js'
import type { Attempt, Outcome, PaymentsError } from './errors.js'
import type { HeadersOption } from './internal/headers.js'
import type { Issue } from './internal/issues.js'
import type { journalFunctions } from './internal/journal-functions.js'

/** A function compatible with `fetch`, from the runtime or from a package such as undici. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The options that the client passes to `fetch`. Compatible with `RequestInit` in every runtime and in undici. */
export interface FetchInit {
  method: string
  headers: Record<string, string>
  /** The body as a JSON string, or `null` if the request has no body. */
  body: string | null
  signal: AbortSignal
  redirect: 'manual'
  /** Absent in runtimes that reject this field. */
  cache?: 'no-store'
}

/** A response from a `fetch` function. Any `Response` class has these members. */
export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

/**
 * Creates the idempotency key for a call.
 *
 * Return `undefined` to send no key. The client then does not retry an attempt that may have taken effect.
 *
 * @param operation Name of the operation, for example `payments.capture`.
 * @param params The path parameters.
 * @param body The request body.
 */
export type IdempotencyKeyFunction = (
  operation: string,
  params: { readonly [name: string]: string },
  body: unknown,
) => string | undefined | Promise<string | undefined>

/**
 * Records operations, so that each operation is executed exactly once even if processes die and responses are lost.
 *
 * Create one with `createJournal` from `payments-client/postgres` or `payments-client/sqlite`, or with
 * `createMemoryJournal`.
 */
// biome-ignore lint/suspicious/noExplicitAny: by default, a journal accepts transactions of any type.
export interface Journal<Transaction = any> {
  /** Creates the tables if they do not exist. Several processes may call it at the same time. */
  migrate(): Promise<void>
  /**
   * Removes the request bodies of operations that finished more than 7 days ago, and the records of operations that
   * finished longer ago than `rememberFor`, even if `onSettled` did not receive their results. Keeps the records of
   * operations that need a review. Resolves to the number of changed and removed records.
   */
  prune(): Promise<number>
  /** @internal */
  readonly [journalFunctions]: unknown
  /** @internal */
  readonly [transactionType]?: Transaction
}

/** A property that exists only in types, and carries the type of a journal's transactions. */
declare const transactionType: unique symbol

/** Options for a client. */
// biome-ignore lint/suspicious/noExplicitAny: without a journal, no transaction is used.
export interface ClientOptions<V extends ApiVersion = '2021-09-27', Transaction = any> {
  /**
   * The API key, or a function that returns it. The function is called for each attempt, so keys may rotate.
   * @default the environment variable PAYMENTS_API_KEY
   */
  apiKey?: string | (() => string | Promise<string>)
  /**
   * The service's URL, which may have a path. It must use https, or http with a loopback address.
   * @default the environment variable PAYMENTS_BASE_URL
   */
  baseUrl?: string | URL
  /**
   * The API version, sent as `X-Api-Version`. Determines the types and checks of requests and responses.
   * @default '2021-09-27'
   */
  apiVersion?: V
  /**
   * Creates idempotency keys: `'auto'` creates a UUID for each call, `'off'` sends no keys, and a function creates your
   * own.
   * @default 'auto'
   */
  idempotency?: 'auto' | 'off' | IdempotencyKeyFunction
  /**
   * Records every operation with an idempotency key before its first request and after its last request. Also detects a
   * key that is used for two different requests.
   * @default none
   */
  journal?: Journal<Transaction>
  /** Limit for one attempt, including reading the response, in milliseconds. @default 90000 */
  timeout?: number
  /** Limit for the whole call, including all attempts and waits, in milliseconds. @default 120000 */
  totalTimeout?: number
  /** Maximum number of retries per call. The client retries only when a retry is safe. @default 2 */
  maxRetries?: number
  /**
   * How the client handles a response that violates the contract: `'throw'` rejects the call, `'report'` returns the
   * response and calls `hooks.onResponseIssue`, and `'off'` skips the check.
   * @default 'throw'
   */
  responseValidation?: 'throw' | 'report' | 'off'
  /** Maximum size of a response body after decompression, in bytes. @default 10485760 */
  maxResponseBytes?: number
  /** Maximum number of concurrent requests. Further requests are queued. @default 100 */
  maxConnections?: number
  /**
   * Headers to add to every request. Headers that the client sets itself, such as `Content-Type`, are rejected.
   * @default none
   */
  headers?: HeadersOption
  /**
   * Query parameters to add to every request. A call's own parameter with the same name takes precedence. @default none
   */
  query?: { readonly [name: string]: string }
  /**
   * The name and version of your application, appended to `User-Agent`: `payments-client/1.1.0 shop/2.0
   * (https://shop.example)`. @default none
   */
  appInfo?: AppInfo
  /**
   * A Node `http.Agent` or `https.Agent`, for proxies, client certificates and private certificate authorities. To use
   * an undici agent, pass a `fetch` that uses it.
   *
   * With `keepAlive`, also set the agent's `timeout`, for example to 5,000 ms. Otherwise Node ignores the server's
   * `Keep-Alive: timeout=n`, and reuses connections that a firewall has dropped.
   * @default an agent that keeps connections open, and closes them after 5 s without a request
   */
  agent?: HttpAgent
  /**
   * A function that sends the requests, for example undici's `fetch` with your own dispatcher. You do not need it for a
   * dispatcher that you set with undici's `setGlobalDispatcher`, because the client uses that one. But the client
   * ignores a plain `Agent` there, because it cannot detect the agent's options.
   *
   * The function must not retry requests: use `maxRetries` instead. If the service rejected such a retry, the client
   * would report the outcome `rejected`, although the first request may have taken effect.
   * @default `node:http` on Node if the global fetch and its dispatcher are the original ones, else the global fetch
   */
  fetch?: Fetch
  /** Functions that receive the events of each call. @default none */
  hooks?: Hooks
  /**
   * Receives redacted log lines, each with an object of fields.
   * @default none, or `console` if the environment variable PAYMENTS_LOG is set
   */
  logger?: Logger
  /** The least severe level that is logged. @default the environment variable PAYMENTS_LOG, else 'warn' */
  logLevel?: LogLevel
  /** Allows creating a client in a browser, although every visitor can then read the API key. @default false */
  dangerouslyAllowBrowser?: boolean
}

/** The name and version of an application that uses the client. */
export interface AppInfo {
  /** Letters, digits, hyphens and underscores, for example `shop`. */
  name: string
  version?: string
  url?: string
}

/** A Node `http.Agent` or `https.Agent`, declared without Node's types. */
export interface HttpAgent {
  readonly maxSockets: number
  destroy(): void
}

/** The severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off'

/** Options for one call. */
export interface RequestOptions {
  /** Aborts the call with an `AbortedError`. @default none */
  signal?: AbortSignal
  /** Limit for one attempt, in milliseconds. @default the client's `timeout` */
  timeout?: number
  /** Limit for the whole call, in milliseconds. @default the client's `totalTimeout` */
  totalTimeout?: number
  /**
   * Maximum number of retries, 0 to 100. The client retries only when a retry is safe.
   * @default the client's `maxRetries`
   */
  maxRetries?: number
  /**
   * Headers to add to this request. Headers that the client sets itself, such as `Content-Type`, are rejected.
   * @default none
   */
  headers?: HeadersOption
  /**
   * Further top-level fields of the body that this version of the client does not know. They are sent unchecked, and
   * cannot replace a known field. Only for methods with a body. @default none
   */
  extraBody?: Readonly<Record<string, unknown>>
}

/** Options for an operation that takes an idempotency key. */
export interface IdempotentRequestOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters. Two calls with the same key take effect only once.
   * @default the key that the client's option `idempotency` creates
   */
  idempotencyKey?: string
  /**
   * Only for `payments.create` with a journal: allows a payment of an order that has another open payment. For shops
   * that split the amount of an order.
   * @default false
   */
  allowSecondPayment?: boolean
}

/** Options for an operation that takes no idempotency key. */
export interface ResendableRequestOptions extends RequestOptions {
  /** Retries even if the service may already have acted, so the operation may take effect twice. @default false */
  resend?: boolean
}

/** The fields that all events of an attempt share. Events contain no secrets. */
export interface CallEvent {
  /** Identifies the call in events, log lines, errors and responses. */
  readonly callId: string
  /** Name of the operation, for example `payments.capture`. */
  readonly operation: string
  readonly method: string
  /** Path template, for example `/payments/:id/capture`. */
  readonly path: string
  /** Number of the attempt, starting at 1. */
  readonly attempt: number
  readonly idempotencyKey?: string
}

/** Passed to `onRequest` before a request is sent. */
export interface RequestEvent extends CallEvent {
  /** The headers that you added to this request. The hook may change them before it returns. */
  readonly headers: Headers
}

/** Passed to `onResponse` when the headers of a response arrive. */
export interface ResponseEvent extends CallEvent {
  readonly status: number
  readonly durationMs: number
}

/** Passed to `onRetry` when a retry is scheduled. */
export interface RetryEvent extends CallEvent {
  readonly delayMs: number
  /** The cause of the retry: the response's error ID, else its status, or an error code such as `ECONNRESET`. */
  readonly reason: string
}

/**
 * Passed to `onResponseIssue` when a response violates the contract. Each kind of violation is reported only the first
 * time.
 */
export interface ResponseIssueEvent extends CallEvent {
  readonly issue: Issue
}

/** Passed to `onResult` when a call succeeds or fails. */
export interface ResultEvent {
  readonly callId: string
  readonly operation: string
  readonly outcome: 'succeeded' | Outcome
  /** HTTP status of the last response, if one arrived. */
  readonly status?: number
  readonly attempts: readonly Attempt[]
  /** Duration of the whole call, in milliseconds. */
  readonly durationMs: number
  readonly error?: PaymentsError
  /** The error that prevented the `journal` from storing the result. `operations.recover` will finish the operation. */
  readonly journalError?: unknown
}

/**
 * Functions that receive events. The client does not wait for them. If a hook throws, the client logs the failure and
 * continues the call.
 */
export interface Hooks {
  onRequest?: (event: RequestEvent) => void
  onResponse?: (event: ResponseEvent) => void
  onRetry?: (event: RetryEvent) => void
  onResponseIssue?: (event: ResponseIssueEvent) => void
  /** Called once per call, when the call succeeds or fails. Not called for a list page that a loop no longer needs. */
  onResult?: (event: ResultEvent) => void
}

/** The state of a client and its copies, returned by `client.health()`. */
export interface Health {
  /** The fraction of the retry budget that remains, from 0 to 1. At 0, the client makes no retries. */
  readonly retryBudget: number
  /** The number of calls that ended after `since`, except calls with invalid arguments or options. */
  readonly recentCalls: number
  /** The number of these calls that ended with the outcome `unknown`. */
  readonly recentUnknown: number
  /** The time at which counting started, at most two minutes ago. */
  readonly since: Date
}

/** The destination of log lines, for example `console` or a pino logger. */
export interface Logger {
  debug(message: string, fields: LogFields): void
  info(message: string, fields: LogFields): void
  warn(message: string, fields: LogFields): void
  error(message: string, fields: LogFields): void
}

/** The data of a log line, for log tools that search by field. Contains no secrets. */
export interface LogFields {
  /** Identifies the call in events, log lines, errors and responses. */
  readonly callId: string
  /** Name of the operation, for example `payments.capture`. */
  readonly operation: string
  /** Number of the attempt, if the line is about one attempt. */
  readonly attempt?: number
  /** HTTP status of the last response, if one arrived. */
  readonly status?: number
  /** Whether the call took effect. Present in lines about a failure or a retry. */
  readonly outcome?: 'succeeded' | Outcome
  /** The HTTP requests that ended before this line, oldest first. Present in lines about an attempt or a failure. */
  readonly attempts?: readonly Attempt[]
}
