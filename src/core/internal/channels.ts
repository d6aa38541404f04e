import type { ChannelListener, TracingChannel as NodeTracingChannel } from 'node:diagnostics_channel'
import type { SetOptional } from 'type-fest'
import { builtinModule } from './builtin.js'

type ChannelName = 'call' | 'attempt' | 'operation' | 'webhook' | 'orders'

/** Returns the tracing channel `payments-client:<name>`, or undefined without `node:diagnostics_channel`. */
export function tracingChannel(name: ChannelName): NodeTracingChannel | undefined {
  const diagnostics = builtinModule<typeof import('node:diagnostics_channel')>('node:diagnostics_channel')
  return diagnostics?.tracingChannel?.(`payments-client:${name}`)
}

/** The context object of the channel `payments-client:operation`. */
export interface OperationTrace {
  readonly operation: string
  readonly idempotencyKey: string
  /** The cause of the execution: a direct call of a client method, `operations.run` or `operations.recover`. */
  readonly by: 'call' | 'run' | 'recover'
  /** The operation's state in the journal. Set when the execution ends. */
  state?: string
  /** Whether this state is final. Set when the execution ends. */
  isFinal?: boolean
  /** The error that made the execution fail, or that prevented storing its result. */
  error?: unknown
  /** The journal, for metrics. Not enumerable, so that it does not appear in the logs of other subscribers. */
  readonly [journalKey]?: CountableJournal
}

export interface CountableJournal {
  /** The name of the journal's table. It distinguishes the journals in one process. */
  readonly name: string
  /** Returns, for each open state, the number of operations in this state. */
  countOpen(): Promise<Readonly<Record<string, number>>>
}

/** A registered symbol, so that the separate copies of this file (ES modules and CommonJS) share one symbol. */
export const journalKey: unique symbol = Symbol.for('payments-client.operation-journal') as never

/** The context object of the channel `payments-client:orders`. */
export interface OrdersTrace {
  readonly method: 'recover' | 'sync'
  /** The number of changed payments that `sync` found. Set when it ends. */
  changed?: number
  /** The error that made the method fail. */
  error?: unknown
  /** The tables, for metrics. Not enumerable, so that they do not appear in the logs of other subscribers. */
  readonly [ordersKey]?: CountableOrders
}

export interface CountableOrders {
  /** The database and the name of the table of orders. Together they distinguish the shops in one process. */
  readonly database: object
  readonly name: string
  /** Returns the number of orders that need a review. */
  countReviews(): Promise<number>
}

/** A registered symbol, like `journalKey`. */
export const ordersKey: unique symbol = Symbol.for('payments-client.orders') as never

/** The context object of the channel `payments-client:webhook`. */
export interface WebhookTrace {
  /** Type of the event. Set after the signature is verified. */
  eventType?: string
  /** The key that identifies the delivery. */
  key?: string
  /** The result of the delivery. Set before the response is sent. */
  delivery?: 'handled' | 'duplicate' | 'busy' | 'rejected' | 'failed'
  /** Whether a newer event for the same payment was already handled. Set before your function runs. */
  stale?: boolean
  /** The error that `onError` received. Enumerable only if it is a `PaymentsError`, because others may contain personal data. */
  error?: unknown
}

/** In Bun 1.4, tracing channels have no `hasSubscribers`, but the channels of their events do. */
type TracingChannel = SetOptional<NodeTracingChannel, 'hasSubscribers'>

const eventNames = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const

/** A diagnostics channel. Publishes nothing in runtimes without `node:diagnostics_channel`. */
export class Publisher {
  /** Opened on import, because Bun 1.4 garbage-collects unreferenced channels with their subscribers. */
  readonly #channel: TracingChannel | undefined

  constructor(name: ChannelName) {
    this.#channel = tracingChannel(name)
  }

  get hasSubscribers(): boolean {
    const channel = this.#channel
    return channel?.hasSubscribers ?? eventNames.some((event) => channel?.[event].hasSubscribers)
  }

  /** Runs `work`. Publishes its start and end if the channel has subscribers. */
  trace<T>(work: () => Promise<T>, context: object): Promise<T> {
    if (!this.hasSubscribers) return work()
    const wrapped = () => {
      const wrapper: Wrapper | undefined = Reflect.get(context, wrapperKey)
      return wrapper ? wrapper(work) : work()
    }
    return this.#channel?.tracePromise(wrapped, context) as Promise<T>
  }
}

type Wrapper = <T>(work: () => T) => T

/** A registered symbol, so that the separate copies of this file (ES modules and CommonJS) share one symbol. */
const wrapperKey = Symbol.for('payments-client.wrapper')

/**
 * Makes the call or webhook run inside `wrapper`. Subscribers of the channel's `start` event call this function with
 * the context object of that event.
 *
 * The channel's `bindStore` would do the same, but since Node 26, it accepts only an `AsyncLocalStorage`.
 */
export function runInside(context: object, wrapper: Wrapper): void {
  const inner: Wrapper | undefined = Reflect.get(context, wrapperKey)
  const value: Wrapper = (work) => wrapper(inner ? () => inner(work) : work)
  // Not enumerable, so it does not appear in the logs of other subscribers.
  Object.defineProperty(context, wrapperKey, { value, configurable: true })
}

export interface Subscriber<Context> {
  start?(context: Context): void
  end(context: Context): void
}

export function subscribe<Context>(
  channel: NodeTracingChannel | undefined,
  subscriber: Subscriber<Context>,
): () => void {
  const onStart: ChannelListener = (context) => subscriber.start?.(context as Context)
  const onEnd: ChannelListener = (context) => subscriber.end(context as Context)
  channel?.start.subscribe(onStart)
  channel?.asyncEnd.subscribe(onEnd)
  return () => {
    channel?.start.unsubscribe(onStart)
    channel?.asyncEnd.unsubscribe(onEnd)
  }
}
