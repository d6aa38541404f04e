import * as z from 'zod'
import { ConfigurationError, isPaymentsError } from '../core/errors.js'
import { findNodeCrypto, sha256Sync } from '../core/internal/bytes.js'
import { Publisher, type WebhookTrace } from '../core/internal/channels.js'
import { awaitQueries } from '../core/internal/queries.js'
import {
  anyValue,
  boolean,
  func,
  integer,
  milliseconds,
  optionsOf,
  requireOptions,
  type Shape,
  withMethods,
} from '../core/internal/validation.js'
import type { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from '../core/schemas/event.js'
import { eventTypes } from '../core/schemas/known-values.js'
import type { WebhookStore } from '../stores/contract.js'
import { createMemoryStore } from '../stores/memory/webhook-store.js'
import { readBody } from './body.js'
import { deduplicationKey, runClaimed } from './claims.js'
import { WebhookPayloadError } from './errors.js'
import { eventTypeOf, isRecognized, resourceOf, type UnrecognizedEvent, type WebhookEvent } from './event.js'
import { type VerifyOptions, verifySettings, verifyShape } from './options.js'
import { type Incoming, type Outgoing, toFetchHandler } from './receiver.js'
import { readSecrets, type SigningSecrets } from './secrets.js'
import { rejectPollutedPrototype, verifyPrepared, verifyPreparedAsync } from './verify.js'

const channel = /* @__PURE__ */ new Publisher('webhook')

/** Information about a delivery, passed to the function that handles the event. */
export interface WebhookContext<Transaction = unknown> {
  /**
   * The delivery key: the SHA-256 of the raw body, in hexadecimal digits. Do not derive idempotency keys from it,
   * because a redelivery with another body has another key.
   */
  readonly key: string
  /**
   * Whether a newer event for the same payment was already handled. Compares `payment.dateUpdated`, or the event's
   * `date` if it is absent, including microseconds. For a dispute, compares `receivedAt` with events for the same
   * `processorDisputeId`. Always false for events without a time. Can also be false for an older event that has the
   * same time, or that the service resends with a new `date`. Therefore, also check whether the stored status is final,
   * as in the example of `createHandler`.
   */
  readonly stale: boolean
  /**
   * Aborts when another process has claimed this delivery, when the database connection of `transaction` is lost, or
   * when the client closes the connection.
   */
  readonly signal: AbortSignal
  /**
   * The open transaction, in the form that the store's database library uses. Present only with transactional stores.
   */
  readonly transaction: Transaction
}

/**
 * One function per event type. The response is sent when the function has finished. If the function returns an array,
 * such as queries of the `postgres` driver, its elements are also awaited.
 */
export interface EventFunctions<Transaction = unknown> {
  readonly 'PAYMENT.STATUS'?: (event: PaymentStatusEvent, context: WebhookContext<Transaction>) => unknown
  readonly 'PAYMENT.REFUND'?: (event: PaymentRefundEvent, context: WebhookContext<Transaction>) => unknown
  readonly 'DISPUTE.STATUS'?: (event: DisputeStatusEvent, context: WebhookContext<Transaction>) => unknown
}

/** Options for `createHandler`. */
export interface HandlerOptions<Transaction = unknown> extends VerifyOptions {
  /**
   * One or more signing secrets of at least 16 bytes, or a function that returns them. The function is called for each
   * request, so secrets may rotate.
   */
  secret: SigningSecrets | (() => SigningSecrets | Promise<SigningSecrets>)
  /** Functions for known events. Events without a function are ignored with a 200 response. */
  on?: EventFunctions<NoInfer<Transaction>>
  /**
   * Receives events of other types that have a valid signature.
   * @default such events are ignored, with the response 200
   */
  onUnrecognized?: (event: UnrecognizedEvent, context: WebhookContext<NoInfer<Transaction>>) => unknown
  /**
   * Receives every error: from rejected requests, from your functions and from the store, but not from the GET, HEAD
   * and OPTIONS requests of load balancers. `event` is present if it is known. The response is sent when this function
   * has finished, but does not depend on its result.
   */
  onError?: (error: unknown, event?: WebhookEvent) => unknown
  /**
   * Handles each delivery once, identified by its raw body. `true` stores deliveries in memory. If you run several
   * processes, pass a store that they share.
   * @default true
   */
  deduplicate?: boolean | WebhookStore<Transaction>
  /**
   * Milliseconds after which another process may handle a delivery if the first process died. The claim is renewed
   * while your function runs.
   * @default 60000
   */
  claimTtl?: number
  /** Handles events for the same payment one after another. Requires `deduplicate`. @default true */
  serialize?: boolean
  /**
   * Milliseconds that a delivery waits while another event for the same payment is handled, or for a free connection of
   * a transactional store. After that, the response is 409.
   * @default 5000
   */
  serializeWait?: number
}

/** A webhook receiver for Fetch requests. `toNodeListener` and `toLambdaHandler` convert it for other servers. */
export type WebhookHandler = (request: Request) => Promise<Response>

const handlerOptions = optionsOf<HandlerOptions>({
  ...verifyShape,
  // `readSecrets` checks `secret`, and `eventFunctions` checks `on`.
  secret: anyValue,
  on: anyValue,
  onUnrecognized: func(),
  onError: func(),
  deduplicate: z.union(
    [z.boolean(), withMethods<WebhookStore<unknown>>('claim', 'complete', 'release')],
    'must be true, false or a store with the methods claim, complete, release',
  ),
  claimTtl: milliseconds,
  serialize: boolean,
  serializeWait: integer(0),
})

export const eventFunctions = optionsOf(
  Object.fromEntries(eventTypes.map((type) => [type, func()])) as Shape<EventFunctions>,
)

/**
 * Creates a webhook receiver: verifies each request, handles each delivery once, and calls your function for the event.
 *
 * The status of the response:
 *
 * - 200: your function finished for this delivery, or for an earlier delivery with the same body.
 * - 400: the signature or the body is invalid, or the body is not JSON.
 * - 405: the method is not POST.
 * - 409: the same delivery or another event for the same payment is being handled, or the store has no free connection.
 * - 500: your function failed, a known event violates its schema, or the store failed.
 *
 * The service retries after any response other than 200. Response bodies do not explain a rejection, because the sender
 * may be an attacker: use `onError`.
 *
 * @throws {ConfigurationError} A secret or option is invalid.
 * @example
 * const handler = createHandler({
 *   secret: process.env.PAYMENTS_WEBHOOK_SECRET,
 *   on: {
 *     'PAYMENT.STATUS': async ({ payment: { id, status } }, { stale }) => {
 *       if (isFinal(status) || !(stale || isFinal(await statusOf(id)))) await setStatus(id, status)
 *     },
 *   },
 *   onError: (error) => console.error(error),
 * })
 */
export function createHandler<Transaction = unknown>(options: HandlerOptions<Transaction>): WebhookHandler {
  rejectPollutedPrototype()
  const {
    secret,
    on,
    onUnrecognized,
    onError,
    deduplicate = true,
    claimTtl,
    serialize,
    serializeWait: waitMs = 5_000,
    ...verification
  } = requireOptions(options, handlerOptions)
  const settings = verifySettings(verification)
  const fixedKeys = typeof secret === 'function' ? undefined : readSecrets(secret)
  const functions = requireOptions(on, eventFunctions, { path: ['on'], noun: 'event' })
  const store = deduplicate === true ? createMemoryStore() : deduplicate || undefined

  async function dispatch(event: WebhookEvent, context: WebhookContext): Promise<void> {
    const run = isRecognized(event) ? functions[event.eventType] : onUnrecognized
    await awaitQueries(
      (run as ((event: WebhookEvent, context: WebhookContext) => unknown) | undefined)?.(event, context),
    )
  }

  async function handle(event: WebhookEvent, trace: WebhookTrace, key: string, incoming: Incoming): Promise<string> {
    const run = (stale: boolean, lost?: AbortSignal, inTransaction?: { transaction: unknown }) => {
      trace.stale = stale
      const signal = lost ? AbortSignal.any([incoming.signal, lost]) : incoming.signal
      return dispatch(event, { key, stale, signal, ...inTransaction } as WebhookContext)
    }
    if (store === undefined) {
      await run(false)
      return 'handled'
    }
    const resource = resourceOf(event)
    if (store.transact) {
      const work = (transaction: unknown, stale: boolean, lost?: AbortSignal) => run(stale, lost, { transaction })
      return (await store.transact(key, resource, work, { waitMs, serialize })).status
    }
    const claim = {
      key,
      resource,
      waitMs: serialize === false ? undefined : waitMs,
      ttlMs: claimTtl ?? 60_000,
      report: (error: unknown) => report(error, event),
    }
    return runClaimed(store, claim, run)
  }

  async function report(error: unknown, event: WebhookEvent | undefined): Promise<void> {
    try {
      await onError?.(error, event)
    } catch {
      // Ignores errors from `onError`, so that they do not change the response.
    }
  }

  async function receive(incoming: Incoming, trace: WebhookTrace): Promise<Outgoing> {
    let event: WebhookEvent | undefined
    try {
      if (incoming.method !== 'POST') {
        trace.delivery = 'rejected'
        // Does not report these methods, with which load balancers probe the URL every few seconds.
        if (!probeMethods.has(incoming.method)) {
          const error = wrongMethod(incoming.method)
          setError(trace, error)
          await report(error, undefined)
        }
        return respond(405, 'Webhooks are POST requests', ['allow', 'POST'])
      }
      const keys = fixedKeys ?? readSecrets(await (secret as () => unknown)())
      const body = await readBody(incoming.body(), settings.maxBytes)
      // Prefers `node:crypto`, because Web Crypto runs each operation in another thread. Switching threads takes longer
      // than the operation.
      event = findNodeCrypto()
        ? verifyPrepared(body, incoming.headers, settings, keys)
        : await verifyPreparedAsync(body, incoming.headers, settings, keys)
      trace.eventType = event.eventType
      trace.key = sha256Sync(body) ?? (await deduplicationKey(body))
      const result = await handle(event, trace, trace.key, incoming)
      trace.delivery = result === 'busy' ? 'busy' : result === 'done' ? 'duplicate' : 'handled'
      return result === 'busy' ? respond(409, 'This delivery or payment is being handled') : respond(200)
    } catch (error) {
      await report(error, event)
      // Only known event types have a schema, so this type is known.
      if (error instanceof WebhookPayloadError && error.issues.length > 0)
        trace.eventType ??= eventTypeOf(error.payload)
      const invalid = event === undefined && isInvalidWebhook(error)
      trace.delivery = invalid ? 'rejected' : 'failed'
      setError(trace, error)
      return invalid ? respond(400, 'Invalid webhook') : respond(500, 'The webhook was not handled')
    }
  }

  return toFetchHandler((incoming) => {
    const trace: WebhookTrace = {}
    return channel.trace(() => receive(incoming, trace), trace)
  })
}

/** Sets the error. Hides a database error from loggers by making it non-enumerable, because it may contain data. */
function setError(trace: WebhookTrace, error: unknown): void {
  Object.defineProperty(trace, 'error', { get: () => error, enumerable: isPaymentsError(error) })
}

const probeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

function wrongMethod(method: string | undefined): ConfigurationError {
  return new ConfigurationError(
    method === undefined
      ? 'The handler was called without a Request: with Hono, pass (c) => handler(c.req.raw)'
      : `Webhooks are POST requests, but this one is ${method}`,
  )
}

/** Returns whether to respond 400. A signed event that violates its schema gets a 500, because the service sent it. */
function isInvalidWebhook(error: unknown): boolean {
  // Compares codes, because an adapter from another copy of the package throws errors of other classes.
  if (!isPaymentsError(error)) return false
  return error.code === 'ERR_WEBHOOK_VERIFICATION' || (error.code === 'ERR_WEBHOOK_PAYLOAD' && !error.issues?.length)
}

function respond(status: number, body = '', ...headers: [name: string, value: string][]): Outgoing {
  if (body !== '') headers.push(['content-type', 'text/plain;charset=UTF-8'])
  return { status, body, headers }
}
