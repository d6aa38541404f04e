import { ConfigurationError, WebhookPayloadError, WebhookVerificationError } from '../errors.js'
import type { WebhookTrace } from '../internal/channels.js'
import { boolean, func, integer, milliseconds, type Rules, rule, withMethods } from '../internal/options.js'
import type { KnownEvent } from '../schemas/event.js'
import { createMemoryStore } from '../stores/memory.js'
import type { WebhookStore } from '../stores/webhook-store.js'
import { readRequestBody } from './body.js'
import { deduplicationKey, runClaimed } from './claims.js'
import { isRecognized, resourceOf, type UnrecognizedEvent, type WebhookEvent } from './event.js'
import { checked, type VerifyOptions, verifyRules, verifySettings } from './options.js'
import { readSecrets, type SigningSecrets } from './secrets.js'
import { traceWebhook } from './trace.js'
import { rejectPollutedPrototype, verifyAsync } from './verify.js'

/** Facts about the delivery that an event arrived in. */
export interface WebhookContext<Transaction = unknown> {
  /** The delivery key: the SHA-256 of the raw body, in hexadecimal digits. Redeliveries have the same key. */
  readonly key: string
  /**
   * Whether an event of the same payment with a later time was already handled. The time is `payment.dateUpdated`, else
   * `date`. Disputes and events without a time are never stale.
   */
  readonly stale: boolean
  /** Aborts when another process took this delivery, or when the server closes the request. */
  readonly signal: AbortSignal
  /** The open database transaction; with transactional stores only. */
  readonly transaction: Transaction
}

/** One function per event type. The response is sent when the function has finished. */
export type EventFunctions<Transaction = unknown> = {
  readonly [Type in KnownEvent['eventType']]?: (
    event: Extract<KnownEvent, { eventType: Type }>,
    context: WebhookContext<Transaction>,
  ) => unknown
}

/** Options of `createHandler`. */
export interface HandlerOptions<Transaction = unknown> extends VerifyOptions {
  /**
   * The signing secret, or several; at least 16 bytes each. Or a function that returns them, called for each request, for
   * secrets that rotate or exist only at run time.
   */
  secret: SigningSecrets | (() => SigningSecrets | Promise<SigningSecrets>)
  /** Functions for known events. An event without a function is ignored, with response 200. */
  on?: EventFunctions<Transaction>
  /** Receives properly signed events of other types. @default they are ignored, with response 200 */
  onUnrecognized?: (event: UnrecognizedEvent, context: WebhookContext<Transaction>) => unknown
  /**
   * Receives every error with the event, if it is known: rejected requests, errors of your functions and of the store.
   * The response waits for it and does not depend on it.
   */
  onError?: (error: unknown, event?: WebhookEvent) => unknown
  /**
   * Handles each delivery once, by its raw body. `true` remembers deliveries in the memory of this process; several
   * processes must share a store.
   * @default true
   */
  deduplicate?: boolean | WebhookStore<Transaction>
  /**
   * How long a claim on a delivery lasts if its process dies, in milliseconds. Renewed while your function runs.
   * @default 60000
   */
  claimTtl?: number
  /** Handles the events of one payment one at a time. Needs `deduplicate`. @default true */
  serialize?: boolean
  /**
   * How long a delivery waits for another event of the same payment before the response is 409, in milliseconds.
   * @default 5000
   */
  serializeWait?: number
}

/** Receives webhooks as Fetch requests. `toNodeListener` and `toLambdaHandler` convert it for other servers. */
export type WebhookHandler = (request: Request) => Promise<Response>

// readSecrets() checks `secret`, and a second call checks the functions in `on`.
const anyValue = () => undefined

const handlerRules: Rules<HandlerOptions> = {
  ...verifyRules,
  secret: anyValue,
  on: anyValue,
  onUnrecognized: func,
  onError: func,
  deduplicate: rule(
    (value) => boolean(value) === undefined || withMethods('claim', 'complete', 'release')(value) === undefined,
    'must be true, false or a store with the methods claim, complete, release',
  ),
  claimTtl: milliseconds,
  serialize: boolean,
  serializeWait: integer(0),
}

const eventRules: Rules<EventFunctions> = { 'PAYMENT.STATUS': func, 'PAYMENT.REFUND': func, 'DISPUTE.STATUS': func }

/**
 * Creates a webhook receiver: verifies each request, handles each delivery once, and calls your function for the event.
 *
 * - 200: your function has finished, for this delivery or an earlier one with the same body.
 * - 400: the signature or the body is invalid, or the body is not JSON.
 * - 405: the method is not POST.
 * - 409: the same delivery, or another event of the same payment, is being handled right now.
 * - 500: your function failed, a known event violates its schema, or the store failed.
 *
 * The service retries after any response other than 2xx. Response bodies never explain a rejection: see `onError`.
 *
 * @throws {ConfigurationError} An invalid secret or option.
 * @example
 * const handler = createHandler({
 *   secret: process.env.PAYMENTS_WEBHOOK_SECRET,
 *   on: { 'PAYMENT.STATUS': async ({ payment }, { stale }) => stale || saveStatus(payment) },
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
    serializeWait,
    ...verification
  } = checked<HandlerOptions>(options, handlerRules)
  const { maxBytes } = verifySettings(verification)
  const fixedSecrets = typeof secret === 'function' ? undefined : readSecrets(secret)
  const functions = checked<EventFunctions>(on, eventRules, { path: ['on'], noun: 'event' })
  const store = deduplicate === true ? createMemoryStore() : deduplicate || undefined

  async function dispatch(event: WebhookEvent, context: WebhookContext): Promise<void> {
    if (!isRecognized(event)) await onUnrecognized?.(event, context)
    else
      await (functions[event.eventType] as ((event: KnownEvent, context: WebhookContext) => unknown) | undefined)?.(
        event,
        context,
      )
  }

  async function handle(event: WebhookEvent, trace: WebhookTrace, key: string, signal: AbortSignal): Promise<string> {
    const run = (context: WebhookContext) => {
      trace.stale = context.stale
      return dispatch(event, context)
    }
    if (store === undefined) {
      await run({ key, stale: false, signal, transaction: undefined })
      return 'handled'
    }
    const resource = resourceOf(event)
    const waitMs = serialize === false ? undefined : (serializeWait ?? 5_000)
    if (store.transact) {
      const work = (transaction: unknown, stale: boolean) => run({ key, stale, signal, transaction })
      return (await store.transact(key, resource, work, { waitMs })).status
    }
    const claim = { key, resource, waitMs, ttlMs: claimTtl ?? 60_000, report: (error: unknown) => report(error, event) }
    return runClaimed(store, claim, (stale, claimSignal) =>
      run({ key, stale, signal: AbortSignal.any([signal, claimSignal]), transaction: undefined }),
    )
  }

  async function report(error: unknown, event: WebhookEvent | undefined): Promise<void> {
    try {
      await onError?.(error, event)
    } catch {
      // An error in onError does not change the response.
    }
  }

  async function receive(request: Request, trace: WebhookTrace): Promise<Response> {
    let event: WebhookEvent | undefined
    try {
      if (request.method !== 'POST') {
        trace.delivery = 'rejected'
        return await rejectMethod(request.method)
      }
      rejectPollutedPrototype()
      const secrets = typeof secret === 'function' ? await secret() : (fixedSecrets as SigningSecrets)
      const body = await readRequestBody(request, maxBytes)
      event = await verifyAsync(body, request.headers, secrets, verification)
      trace.eventType = event.eventType
      trace.key = await deduplicationKey(body)
      const result = await handle(event, trace, trace.key, request.signal)
      trace.delivery = result === 'busy' ? 'busy' : result === 'done' ? 'duplicate' : 'handled'
      return result === 'busy' ? respond(409, 'This delivery or payment is being handled') : respond(200)
    } catch (error) {
      await report(error, event)
      const invalid = event === undefined && isInvalidWebhook(error)
      trace.delivery = invalid ? 'rejected' : 'failed'
      trace.error = error
      return invalid ? respond(400, 'Invalid webhook') : respond(500, 'The webhook was not handled')
    }
  }

  async function rejectMethod(method: string | undefined): Promise<Response> {
    const problem =
      method === undefined
        ? 'The handler was called without a Request: with Hono, pass (c) => handler(c.req.raw)'
        : `Webhooks are POST requests, but this one is ${method}`
    await report(new ConfigurationError(problem), undefined)
    return respond(405, 'Webhooks are POST requests', { allow: 'POST' })
  }

  return (request) => traceWebhook((trace) => receive(request, trace))
}

/** Whether the sender is at fault. A signed event that violates its schema is not rejected: the service retries it. */
function isInvalidWebhook(error: unknown): boolean {
  if (error instanceof WebhookPayloadError) return error.issues.length === 0
  return error instanceof WebhookVerificationError
}

function respond(status: number, text: string | null = null, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers })
}
