import { type Call, toCall } from '../call.js'
import * as operations from '../contract/client-sessions.js'
import type { ApiVersion, InVersion, TypeIn, VersionTypes } from '../contract/version.js'
import type { RequestOptions, ResendableRequestOptions } from '../options.js'
import type { Transport } from '../transport/transport.js'
import type { Methods } from './methods.js'

/** Version `2.1` requires a body, because it requires `lineItems`. */
type CreateArguments<V extends string> = InVersion<
  V,
  {
    '2021-09-27': [body?: VersionTypes['CreateClientSessionBody']['2021-09-27'], options?: ResendableRequestOptions]
    '2.1': [body: VersionTypes['CreateClientSessionBody']['2.1'], options?: ResendableRequestOptions]
  }
>

/** Client sessions, which initialize a checkout. Specification: Endpoints, `/client-session`. */
export class ClientSessions<V extends ApiVersion = '2021-09-27'> implements Methods<typeof operations> {
  readonly #transport: Transport<V>

  /** @internal */
  constructor(transport: Transport<V>) {
    this.#transport = transport
  }

  /**
   * Creates a client session and its client token, which is valid for 24 hours.
   *
   * Not retried after an ambiguous failure unless `resend` is set: the worst case of a retry is an unused second session.
   *
   * @param body The order, customer and amount, as far as they are known. Version `2.1` requires `lineItems`.
   * @param options `resend`, limits, headers and signal of this call.
   * @example
   * const { clientToken } = await client.clientSessions.create({ orderId: 'order-17', currencyCode: 'EUR', amount: 700 })
   */
  create(...[body, options]: CreateArguments<V>): Call<TypeIn<V, 'CreatedClientSession'>> {
    // The compiler does not see that the body of the tuple for `V` is the body for `V`.
    return this.#transport.send(operations.create, { body: body as TypeIn<V, 'CreateClientSessionBody'> }, options)
  }

  /**
   * Returns a client session. Empty fields are omitted.
   *
   * @param clientToken The token that `create` returned. It expires 24 hours after creation.
   * @param options Limits, headers and signal of this call.
   * @throws {NotFoundError} There is no such session, or its token expired.
   */
  get(clientToken: string, options?: RequestOptions): Call<TypeIn<V, 'ClientSession'>> {
    return this.#transport.send(operations.get, { query: { clientToken } }, options)
  }

  /**
   * Changes fields of a client session.
   *
   * The specification can be read in two ways if an object is sent in part: the service may merge it or replace it. `merge`
   * is correct under both.
   *
   * @param clientToken The token that `create` returned. It expires 24 hours after creation.
   * @param changes The fields to change. `null` clears a field; arrays are sent complete.
   * @param options `resend`, limits, headers and signal of this call.
   */
  update(
    clientToken: string,
    changes: TypeIn<V, 'ClientSessionChanges'>,
    options?: ResendableRequestOptions,
  ): Call<TypeIn<V, 'ClientSession'>> {
    return this.#transport.send(operations.update, { identity: { clientToken }, body: changes }, options)
  }

  /**
   * Changes fields of a client session, nested ones too: retrieves the session, merges the changes and sends whole objects.
   * Not atomic: of two concurrent merges, the later one wins.
   *
   * @param clientToken The token that `create` returned. It expires 24 hours after creation.
   * @param changes The fields to change. `null` clears a field; arrays are sent complete.
   * @param options `resend`, limits, headers and signal of this call.
   * @example
   * await client.clientSessions.merge(clientToken, { customer: { emailAddress: 'zoe@example.com' } })
   */
  merge(
    clientToken: string,
    changes: TypeIn<V, 'ClientSessionChanges'>,
    options?: ResendableRequestOptions,
  ): Call<TypeIn<V, 'ClientSession'>> {
    const identity = { clientToken }
    const result = async () => {
      this.#transport.check(operations.update, { identity, body: changes }, options)
      const { resend, ...readOptions } = options ?? {}
      const { paymentMethod, ...rest } = await this.get(clientToken, readOptions)
      const onto = { ...rest, paymentMethod: { ...paymentMethod, options: undefined } }
      return this.#transport.send(operations.update, { identity, body: changes, onto }, options).withResponse()
    }
    return toCall(result())
  }
}
