import { type Answer, type Call, callOf } from './call.js'
import type { ApiVersion } from './contract/version.js'
import type { ClientOptions, IdempotentRequestOptions } from './options.js'
import { ClientSessions } from './resources/client-sessions.js'
import { Loyalty } from './resources/loyalty.js'
import { Observability } from './resources/observability.js'
import { PaymentInstruments } from './resources/payment-instruments.js'
import { Payments } from './resources/payments.js'
import { describeRaw, type RawRequest } from './resources/raw-request.js'
import { resolveSettings } from './settings.js'
import { Transport } from './transport/transport.js'

/**
 * The payments service, from a merchant's backend.
 *
 * ```ts
 * const client = new PaymentsClient({ apiKey, baseUrl })
 * const payment = await client.payments.create({ paymentMethodToken, orderId, currencyCode: 'EUR', amount: 5000 })
 * ```
 *
 * One client serves a whole process: it keeps connections, bounds them, and shares a retry budget among all calls.
 */
export class PaymentsClient<V extends ApiVersion = '2021-09-27'> {
  readonly payments: Payments<V>
  readonly clientSessions: ClientSessions<V>
  readonly paymentInstruments: PaymentInstruments
  readonly observability: Observability
  readonly loyalty: Loyalty
  readonly #transport: Transport

  /**
   * @throws {ConfigurationError} An option is unknown or out of range, or no API key or base URL is given.
   */
  constructor(options?: ClientOptions<V>)
  constructor(options: ClientOptions<V> | Transport = {}) {
    this.#transport = options instanceof Transport ? options : new Transport(resolveSettings(options))
    this.payments = new Payments(this.#transport)
    this.clientSessions = new ClientSessions(this.#transport)
    this.paymentInstruments = new PaymentInstruments(this.#transport)
    this.observability = new Observability(this.#transport)
    this.loyalty = new Loyalty(this.#transport)
  }

  /**
   * A copy on the same connections and retry budget, with some options changed. An option given as `undefined` stays.
   */
  withOptions<W extends ApiVersion = V>(overrides: ClientOptions<W>): PaymentsClient<W> {
    return clientOn<W>(this.#transport.with(overrides))
  }

  /**
   * Reach what this package does not model. The answer is returned as it came, unchecked.
   *
   * A `GET` is repeated like any other read. Anything else is sent once, unless `options.idempotencyKey` is given: then it
   * is repeated under that key.
   *
   * @throws {RequestValidationError} The path does not start with `/`, or leaves the base URL.
   */
  request<T = unknown>(request: RawRequest, options?: IdempotentRequestOptions): Call<T> {
    return callOf(async () => {
      const { operation, input } = describeRaw(request, options)
      return this.#transport.send(operation, input, options).withResponse() as Promise<Answer<T>>
    })
  }
}

// Made outside the class: a bundler renames a class that names itself, and that name shows in stack traces.
function clientOn<V extends ApiVersion>(transport: Transport<V>): PaymentsClient<V> {
  return new PaymentsClient<V>(transport as never)
}
