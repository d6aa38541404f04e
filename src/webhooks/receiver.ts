import { ConfigurationError } from '../core/errors.js'
import { alreadyRead, type Body } from './body.js'

/** A request from any framework. */
export interface Incoming {
  readonly method: string
  readonly path?: string | undefined
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined }
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Returns the body. Throws if the body's raw bytes are unavailable. */
  body(): Body
}

/** A response for any framework. */
export interface Outgoing {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: string | Uint8Array
}

/** Handles a request without Fetch objects, because creating them takes longer than verifying the webhook. */
export type Receiver = (incoming: Incoming) => Promise<Outgoing>

type FetchHandler = (request: Request) => Promise<Response>

/** A registered symbol, because a handler and its adapter may come from two copies of the package. */
const receiver = Symbol.for('payments-client.webhook-receiver')

/** Converts a receiver to a Fetch handler. */
export function toFetchHandler(receive: Receiver): FetchHandler {
  const handler = async (request: Request) => {
    const { status, headers, body } = await receive(new FetchIncoming(request))
    return new Response(body === '' ? null : (body as BodyInit), {
      status,
      headers: [...headers] as [string, string][],
    })
  }
  return Object.assign(handler, { [receiver]: receive })
}

/**
 * Returns the receiver of a handler from `createHandler`. The receiver never rejects: if the handler rejects, the
 * response is 500.
 *
 * @throws {ConfigurationError} The handler is not from `createHandler`.
 */
export function receiverOf(handler: FetchHandler): Receiver {
  const receive = Object(handler)[receiver] as Receiver | undefined
  if (receive === undefined) throw new ConfigurationError('The handler must be the result of createHandler')
  return async (incoming) => {
    try {
      return await receive(incoming)
    } catch {
      return { status: 500, headers: [], body: '' }
    }
  }
}

/**
 * Converts a `Request`. Reads its properties only when they are needed, because a caller may pass another value by
 * mistake, such as Hono's context, which the handler then reports.
 */
class FetchIncoming implements Incoming {
  constructor(private readonly request: Request) {}

  get method(): string {
    return this.request.method
  }

  get headers(): Headers {
    return this.request.headers
  }

  get signal(): AbortSignal {
    // Some requests, such as those of Azure Functions, have no signal.
    return this.request.signal ?? new AbortController().signal
  }

  body(): Body {
    const { body, bodyUsed } = this.request
    if (bodyUsed || body?.locked) throw alreadyRead()
    return body?.getReader() ?? ''
  }
}
