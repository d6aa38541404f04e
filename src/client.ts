import type { Call } from './core/call.js'
import type { ApiVersion } from './core/contract/version.js'
import { ConfigurationError } from './core/errors.js'
import { journalFunctions } from './core/internal/journal-functions.js'
import type { ClientOptions, Health, IdempotentRequestOptions } from './core/options.js'
import { ClientSessions } from './core/resources/client-sessions.js'
import { Loyalty } from './core/resources/loyalty.js'
import { attach, transportOf } from './core/resources/namespace.js'
import { Observability } from './core/resources/observability.js'
import { PaymentInstruments } from './core/resources/payment-instruments.js'
import { Payments } from './core/resources/payments.js'
import { describeRaw, type RawRequest } from './core/resources/raw-request.js'
import { resolveSettings } from './core/settings.js'
import { Transport } from './core/transport/transport.js'
import type { Operations } from './operations/operations.js'
import type { JournalFunctions } from './operations/recorder.js'

/**
 * A client for the payments service, for use in a merchant's backend.
 *
 * Create one client per process. All calls of a client share its connections and its limit on retries during an outage.
 *
 * @example
 * const client = new PaymentsClient({ apiKey, baseUrl })
 * const payment = await client.payments.create({ paymentMethodToken, orderId, currencyCode: 'EUR', amount: 5000 })
 */
// biome-ignore lint/suspicious/noExplicitAny: without a journal, no transaction is used.
export class PaymentsClient<V extends ApiVersion = '2021-09-27', Transaction = any> {
  readonly payments: Payments<V>
  readonly clientSessions: ClientSessions<V>
  readonly paymentInstruments: PaymentInstruments
  readonly observability: Observability
  readonly loyalty: Loyalty

  /**
   * @param options The API key and the base URL default to the environment variables `PAYMENTS_API_KEY` and
   * `PAYMENTS_BASE_URL`.
   * @throws {ConfigurationError} An option is unknown or invalid, or the API key or the base URL is missing.
   */
  constructor(options?: ClientOptions<V, Transaction>)
  constructor(options: ClientOptions<V, Transaction> | Transport = {}) {
    const transport =
      options instanceof Transport ? (options as Transport<V>) : new Transport<V>(resolveSettings(options))
    attach(this, transport)
    this.payments = new Payments(transport)
    this.clientSessions = new ClientSessions(transport)
    this.paymentInstruments = new PaymentInstruments(transport)
    this.observability = new Observability(transport)
    this.loyalty = new Loyalty(transport)
  }

  /**
   * Plans operations such as refunds, executes each operation exactly once, and finishes operations that a crash or an
   * outage interrupted.
   *
   * @throws {ConfigurationError} The client has no option `journal`.
   * @example
   * await client.operations.run('refund-381')
   */
  get operations(): Operations<V, Transaction> {
    const journal = transportOf<V>(this).settings.journal?.[journalFunctions] as JournalFunctions | undefined
    if (journal === undefined) {
      throw new ConfigurationError(
        'client.operations needs the option journal: pass createJournal(…) from payments-client/postgres or payments-client/sqlite',
      )
    }
    return journal.operations(transportOf<V>(this))
  }

  /**
   * Creates a client with some options changed. The new client shares this client's connections and limit on retries.
   *
   * @param overrides The options to change. Options that are absent or `undefined` keep the values of this client.
   * `maxConnections` cannot be changed.
   * @throws {ConfigurationError} An option is unknown or invalid. Or `baseUrl` or `apiKey` changes while the journal stays
   * the same: each journal belongs to one service.
   * @example
   * const patient = client.withOptions({ maxRetries: 5, totalTimeout: 300_000 })
   */
  withOptions<W extends ApiVersion = V, Other = Transaction>(
    overrides: ClientOptions<W, Other>,
  ): PaymentsClient<W, Other> {
    // Uses `this.constructor`, because bundlers rename a class that refers to itself, and stack traces would then show
    // the new name.
    const Client = this.constructor as new (transport: Transport) => PaymentsClient<W, Other>
    return new Client(transportOf<V>(this).with(overrides))
  }

  /**
   * Returns how many recent calls failed, for example to hide card payments during an outage. Does not send a
   * request.
   *
   * @example
   * const { retryBudget, recentCalls, recentUnknown } = client.health()
   * const isUp = retryBudget > 0.5 && recentUnknown <= 0.1 * recentCalls
   */
  health(): Health {
    return transportOf<V>(this).health
  }

  /**
   * Calls an endpoint for which the client has no method. The response is not validated.
   *
   * Retries a `GET` like any other read. Retries other methods only if you pass `options.idempotencyKey`, or if the
   * service cannot have processed the request.
   *
   * @param request Method, path relative to the base URL, query parameters and body.
   * @param options Options for this call.
   * @throws {RequestValidationError} The path does not start with `/`, or points outside the base URL.
   * @example
   * await client.request({ method: 'GET', path: '/reports/2026-11', query: { page: 2 } })
   */
  request<T = unknown>(request: RawRequest, options?: IdempotentRequestOptions): Call<T> {
    const { operation, input } = describeRaw(request, options)
    return transportOf<V>(this).send(operation, input, options) as Call<T>
  }
}
