import type { ApiVersion } from './contract/version.js'
import type { Issue } from './internal/issues.js'

/** A function with the signature of `fetch`. The SDK passes the URL as a string. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Makes the idempotency key of a call from the operation (`payments.capture`), its path parameters and its body.
 * `undefined` sends no key, and the call is then never repeated after an ambiguous failure.
 */
export type IdempotencyKeyFunction = (
  operation: string,
  params: Readonly<Record<string, string>>,
  body: unknown,
) => string | undefined | Promise<string | undefined>

/**
 * Remembers which request an idempotency key stands for. It is asked before the first byte of a keyed operation leaves, so
 * that a process that died can repeat its call, and cannot use the key for anything else by mistake.
 */
export interface IdempotencyStore {
  /**
   * Remember `fingerprint` under `key` unless something is remembered there already, in one step. Returns what is
   * remembered: `fingerprint`, or what came first. Keep it as long as the call may be repeated.
   */
  claim(key: string, fingerprint: string): string | Promise<string>
}

/** How to reach the service, and how patient to be. */
export interface ClientOptions<V extends ApiVersion = '2021-09-27'> {
  /**
   * The key, or a function that returns it. The function is called for every attempt, so keys may rotate.
   * @default the environment variable PAYMENTS_API_KEY
   */
  apiKey?: string | (() => string | Promise<string>)
  /**
   * Where the service is. https; http on loopback only. A path prefix is kept.
   * @default the environment variable PAYMENTS_BASE_URL
   */
  baseUrl?: string | URL
  /** Sent as `X-Api-Version`; decides which shapes are taken and returned. @default '2021-09-27' */
  apiVersion?: V
  /**
   * Where idempotency keys come from: `'auto'` makes a UUID for every call, `'off'` sends none, a function makes your own.
   * @default 'auto'
   */
  idempotency?: 'auto' | 'off' | IdempotencyKeyFunction
  /** Remembers which request a key stands for, across restarts. @default none */
  idempotencyStore?: IdempotencyStore
  /** Limit for one attempt, reading the answer included, in milliseconds. @default 90000 */
  timeout?: number
  /** Limit for the whole call, all attempts and waits included, in milliseconds. @default 120000 */
  totalTimeout?: number
  /** Attempts after the first, where repeating is safe. @default 2 */
  maxRetries?: number
  /**
   * What to do with an answer that breaks the contract: throw, return it and tell `hooks.onResponseIssue`, or not look.
   * @default 'throw'
   */
  responseValidation?: 'throw' | 'report' | 'off'
  /** Largest answer to read, after decompression, in bytes. @default 10485760 */
  maxResponseBytes?: number
  /** Attempts in flight at once; further ones queue. @default 100 */
  maxConnections?: number
  /**
   * Fetches in place of what the runtime has. Give one to use an undici dispatcher of your own (client certificates, a
   * private authority): one set with `setGlobalDispatcher` is used only where it is not a plain `Agent`.
   * @default `node:http` on Node, the runtime's fetch elsewhere and wherever that was replaced
   */
  fetch?: Fetch
  /** Functions that are told of requests, answers and retries. @default none */
  hooks?: Hooks
  /** Receives redacted log lines. @default none */
  logger?: Logger
}

/** How one call differs from the client's options. */
export interface RequestOptions {
  /** Ends the call with an `AbortedError`. @default none */
  signal?: AbortSignal
  /** Limit for one attempt, in milliseconds. @default the client's */
  timeout?: number
  /** Limit for the whole call, in milliseconds. @default the client's */
  totalTimeout?: number
  /** Attempts after the first, where repeating is safe; 0 to 100. @default the client's */
  maxRetries?: number
  /** Further headers. The headers that the SDK sets itself are rejected. @default none */
  headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[] | Headers
}

/** Options of the operations that take an idempotency key. */
export interface IdempotentRequestOptions extends RequestOptions {
  /** 1 to 255 visible ASCII characters. Two calls with the same key take effect once. @default made by `idempotency` */
  idempotencyKey?: string
}

/** Options of the operations that a caller may allow to be sent again. */
export interface ResendableRequestOptions extends RequestOptions {
  /** Send again after an ambiguous failure, although the operation may then take effect twice. @default false */
  resend?: boolean
}

/** What every hook is told. Holds no secret. */
export interface CallEvent {
  /** e.g. `payments.capture`. */
  readonly operation: string
  readonly method: string
  /** Path template, e.g. `/payments/:id/capture`. */
  readonly path: string
  /** 1 for the first. */
  readonly attempt: number
  readonly idempotencyKey?: string
}

/** An answer arrived, with headers only or in full. */
export interface ResponseEvent extends CallEvent {
  readonly status: number
  readonly durationMs: number
}

/** The call is about to wait and try again. */
export interface RetryEvent extends CallEvent {
  readonly delayMs: number
  /** Why, e.g. `503` or `ECONNRESET`. */
  readonly reason: string
}

/** An answer broke the contract in a way not seen before. */
export interface ResponseIssueEvent extends CallEvent {
  readonly issue: Issue
}

/** Functions that are told what happens. They are not awaited; one that throws is logged and changes nothing. */
export interface Hooks {
  onRequest?: (event: CallEvent) => void
  onResponse?: (event: ResponseEvent) => void
  onRetry?: (event: RetryEvent) => void
  onResponseIssue?: (event: ResponseIssueEvent) => void
}

/** Where log lines go, e.g. `console` or a pino logger. */
export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}
