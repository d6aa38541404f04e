import { ConfigurationError, WebhookPayloadError, WebhookVerificationError } from '../errors.js'
import type { KnownEvent } from '../schemas/event.js'
import { type ClaimResult, createMemoryStore, type DeduplicationStore, deduplicationKey } from './deduplication.js'
import { isRecognized, knownEventTypes, type UnrecognizedEvent, type WebhookEvent } from './event.js'
import { refuseUnknown, resolveOptions, type VerifyOptions, verifyRules } from './options.js'
import { readRequestBody } from './request-body.js'
import { readSecrets, type SigningSecrets } from './secrets.js'
import { verifyAsync } from './verify.js'

/** What to do with each known event. May be asynchronous: the service is answered when it has finished. */
export type EventFunctions = {
  readonly [Type in KnownEvent['eventType']]?: (event: Extract<KnownEvent, { eventType: Type }>) => unknown
}

/** How to receive webhooks. */
export interface HandlerOptions extends VerifyOptions {
  /** The signing secret, or several; at least 16 bytes each. */
  secret: SigningSecrets
  /** What to do with each known event. One without a function here is answered 200, and nothing happens. */
  on?: EventFunctions
  /** What to do with an event that is properly signed, but not modelled. @default nothing; it is answered 200 */
  onUnrecognized?: (event: UnrecognizedEvent) => unknown
  /**
   * Told of everything that is not answered 200, 405 or 409, with the event where there is one: what was refused, what
   * your function threw; and of a store that fails. It is waited for, and changes nothing.
   */
  onError?: (error: unknown, event?: WebhookEvent) => unknown
  /** Whether to handle a body once only, however often it comes. In memory, unless given a store. @default true */
  deduplicate?: boolean | DeduplicationStore
}

/** Receives webhooks, for every framework that speaks Fetch; `toNodeListener` makes it fit the others. */
export type WebhookHandler = (request: Request) => Promise<Response>

const optionNames = [...Object.keys(verifyRules), 'secret', 'on', 'onUnrecognized', 'onError', 'deduplicate']

/** Longer than the service waits for an answer (10 seconds), and shorter than it goes on repeating a delivery. */
const claimMs = 60_000

/**
 * Make a receiver of webhooks: it verifies, drops repetitions, calls your function, and answers.
 *
 * - 200: your function has finished, now or for an earlier delivery of the same body; or you have none for this event.
 * - 400: the signature or the body is wrong, or the body is not JSON.
 * - 405: not a POST.
 * - 409: the same body is being handled right now.
 * - 500: your function threw, a known event breaks its schema, or the store failed.
 *
 * The service takes 200 alone as the receipt, and is expected to deliver again after any other answer. Events may come out
 * of order: the newest `payment.dateUpdated` wins.
 *
 * @throws {ConfigurationError} A bad secret or option.
 */
export function createHandler(options: HandlerOptions): WebhookHandler {
  refuseUnknown(options, optionNames)
  const { secret, on = {}, onUnrecognized, onError, deduplicate = true, ...verification } = options
  const secrets = readSecrets(secret)
  const { maxBytes } = resolveOptions(verification)
  refuseUnknown(on, knownEventTypes, 'event')
  requireFunctions({ ...on, onUnrecognized, onError })
  const store = storeFor(deduplicate)

  async function dispatch(event: WebhookEvent): Promise<void> {
    if (isRecognized(event)) await (on[event.eventType] as ((event: KnownEvent) => unknown) | undefined)?.(event)
    else await onUnrecognized?.(event)
  }

  async function dispatchOnce(store: DeduplicationStore, event: WebhookEvent, key: string): Promise<ClaimResult> {
    const claim = await store.claim(key, claimMs)
    if (claim === 'busy' || claim === 'done') return claim
    if (claim !== 'new') throw new ConfigurationError("claim must say 'new', 'busy' or 'done'")
    try {
      await dispatch(event)
    } catch (error) {
      await tellIfFails(() => store.release(key), event)
      throw error
    }
    await tellIfFails(() => store.complete(key), event)
    return claim
  }

  async function tell(error: unknown, event: WebhookEvent | undefined): Promise<void> {
    try {
      await onError?.(error, event)
    } catch {
      // Who fails while being told of a failure changes nothing.
    }
  }

  async function tellIfFails(step: () => unknown, event: WebhookEvent): Promise<void> {
    try {
      await step()
    } catch (error) {
      await tell(error, event)
    }
  }

  return async (request) => {
    if (request.method !== 'POST') return answer(405, 'A webhook is a POST', { allow: 'POST' })
    let event: WebhookEvent | undefined
    try {
      const body = await readRequestBody(request, maxBytes)
      event = await verifyAsync(body, request.headers, secrets, verification)
      const claim = store ? await dispatchOnce(store, event, await deduplicationKey(body)) : await dispatch(event)
      return claim === 'busy' ? answer(409, 'This delivery is being handled right now') : answer(200)
    } catch (error) {
      await tell(error, event)
      return event ? answer(500, 'The event could not be handled') : answerToRefused(error)
    }
  }
}

function requireFunctions(functions: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(functions)) {
    if (value !== undefined && typeof value !== 'function') throw new ConfigurationError(`${name} must be a function`)
  }
}

function storeFor(deduplicate: boolean | DeduplicationStore): DeduplicationStore | undefined {
  if (deduplicate === true) return createMemoryStore()
  if (deduplicate === false) return undefined
  const complete = ['claim', 'complete', 'release'].every((name) => typeof Object(deduplicate)[name] === 'function')
  if (!complete) throw new ConfigurationError('deduplicate must be a boolean, or a store: claim, complete and release')
  return deduplicate
}

/** Why a delivery never became an event. The messages are ours and hold nothing of the body. */
function answerToRefused(error: unknown): Response {
  if (error instanceof WebhookVerificationError) return answer(400, error.message)
  if (!(error instanceof WebhookPayloadError)) return answer(500, 'The webhook could not be read')
  return answer(error.issues.length === 0 ? 400 : 500, error.message)
}

function answer(status: number, text?: string, headers: Record<string, string> = {}): Response {
  if (text === undefined) return new Response(null, { status })
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } })
}
