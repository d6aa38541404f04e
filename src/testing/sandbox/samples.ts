import type * as z from 'zod'
import { type ApiVersion, cartOf, type TypeIn } from '../../core/contract/version.js'
import { optionsOf, problemWith, text } from '../../core/internal/validation.js'
import type { KnownEvent } from '../../core/schemas/event.js'
import type { Payment } from '../../core/schemas/payment.js'
import { DisputeControls, ProcessorControls } from './controls.js'
import { type Context, createContext } from './domain/context.js'
import { createPayment } from './domain/creation.js'
import { fromOrder, merged } from './domain/fields.js'
import { startRefund } from './domain/refunds.js'
import { knownName, readSettings, requireOptions } from './internal/options.js'
import { scenarios, tokens } from './internal/scenarios.js'

/** The event type of a sample. */
export type SampleEventType = KnownEvent['eventType']

type SamplePayment<V extends string> = TypeIn<V, 'Payment'>

/** `T` with all fields optional, at every depth. */
type PartialDeep<T> = T extends string | readonly unknown[]
  ? T
  : T extends object
    ? { [Name in keyof T]?: PartialDeep<T[Name]> }
    : T

/** For each event type, a function that makes the sandbox send this event for an authorized payment. */
const causes: { readonly [Type in SampleEventType]: (paymentId: string, context: Context) => void } = {
  'PAYMENT.STATUS': () => {},
  'PAYMENT.REFUND'(paymentId, context) {
    const processor = new ProcessorControls(context)
    processor.settle(paymentId)
    startRefund(context.payments.get(paymentId), 2000, context)
    processor.finishRefund(paymentId, 'SETTLED')
  },
  'DISPUTE.STATUS': (paymentId, context) => void new DisputeControls(context).open(paymentId),
}

export const sampleEventTypes = Object.keys(causes) as SampleEventType[]

const eventType = knownName('an event type', sampleEventTypes)
const sampleOptions = optionsOf<{ apiVersion?: ApiVersion }>({ apiVersion: text as z.ZodType<ApiVersion> })

/**
 * Creates a realistic payment for tests: an authorized card payment with an order. With the status `SETTLED` or
 * `SETTLING`, its whole amount is captured.
 *
 * @param overrides Fields to change, merged deeply. Arrays are replaced.
 * @param options.apiVersion The API version of the payment. @default '2021-09-27'
 * @example
 * samplePayment({ status: 'SETTLED', processor: { amountRefunded: 2000 } })
 */
export function samplePayment<const V extends ApiVersion = '2021-09-27'>(
  overrides: PartialDeep<SamplePayment<V>> = {} as never,
  options: { apiVersion?: V } = {},
): SamplePayment<V> {
  const { apiVersion = '2021-09-27' } = requireOptions('samplePayment', options, sampleOptions)
  const payment = jsonCopy(fromOrder(cartOf(apiVersion), createSample(apiVersion).payment))
  return merged<object>(withCapture(payment, overrides), overrides) as SamplePayment<V>
}

/**
 * Creates a realistic webhook event for tests. The event has the current time, so `verify` accepts it with the option
 * `tolerance`.
 *
 * @param overrides Fields to change, merged deeply. With `version: '2.1'`, the event has the format of that version.
 * @throws {TypeError} `type` is not an event type.
 * @example
 * const event = sampleEvent('PAYMENT.STATUS', { payment: { status: 'SETTLED' } })
 * const rawBody = JSON.stringify(event)
 * const headers = webhooks.sign(rawBody, secret)
 */
export function sampleEvent<T extends SampleEventType>(
  type: T,
  overrides: PartialDeep<Extract<KnownEvent, { eventType: T }>> = {} as never,
): Extract<KnownEvent, { eventType: T }> {
  const problem = problemWith(eventType, type)
  if (problem) throw new TypeError(`type ${problem.message}`)
  const { version = '2021-09-27' } = overrides as { version?: string }
  const { payment, context, events } = createSample(version)
  causes[type](payment.id, context)
  const event: { payment?: object } = jsonCopy(events.at(-1))
  if (event.payment) event.payment = withCapture(event.payment, Object(overrides).payment)
  return merged<object>(event, overrides) as Extract<KnownEvent, { eventType: T }>
}

/** Captures the whole amount of a sample that the overrides make settled, as the service does. */
function withCapture(sample: Partial<Payment>, overrides: unknown): object {
  const { status, amount = sample.amount }: Partial<Payment> = Object(overrides)
  if (status !== 'SETTLED' && status !== 'SETTLING') return sample
  return { ...sample, processor: { ...sample.processor, amountCaptured: amount } }
}

/** Copies a value without its undefined fields, which JSON omits. */
function jsonCopy(value: unknown): object {
  return JSON.parse(JSON.stringify(value))
}

function createSample(apiVersion: string) {
  const events: object[] = []
  const context = createContext(readSettings({}), 'sample', (event) => events.push(event))
  const body = {
    paymentMethodToken: tokens.card,
    orderId: 'order-1',
    currencyCode: 'EUR',
    amount: 5000,
    customerId: 'customer-1',
    customer: { emailAddress: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
    metadata: { basket: 'basket-1' },
    order: {
      countryCode: 'DE',
      lineItems: [{ itemId: 'tea', name: 'Tea', description: 'Darjeeling', amount: 2500, quantity: 2 }],
    },
  }
  const record = createPayment(body, apiVersion, context)
  const payment = context.payments.move(record, 'payments.create', scenarios.card.onCreate)
  return { payment, context, events }
}
