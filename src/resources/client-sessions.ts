import { type Call, toCall } from '../call.js'
import * as operations from '../contract/client-sessions.js'
import type { ApiVersion, InVersion, VersionTypes } from '../contract/version.js'
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
   * Create a client session and its client token, valid for 24 hours.
   *
   * Version `2021-09-27` requires nothing; version `2.1` requires `lineItems`. Not retried after an ambiguous failure
   * unless `resend` is set. A retry can at worst create a second, unused session.
   */
  create(...[body, options]: CreateArguments<V>): Call<InVersion<V, VersionTypes['CreatedClientSession']>> {
    // The compiler does not see that the body of the tuple for `V` is the body for `V`.
    return this.#transport.send(
      operations.create,
      { body: body as InVersion<V, VersionTypes['CreateClientSessionBody']> },
      options,
    )
  }

  /**
   * Get a client session. Fields with empty values are omitted.
   *
   * @throws {NotFoundError} There is no such session, or its token expired.
   */
  get(clientToken: string, options?: RequestOptions): Call<InVersion<V, VersionTypes['ClientSession']>> {
    return this.#transport.send(operations.get, { query: { clientToken } }, options)
  }

  /**
   * Change some fields of a client session. `null` clears a field; arrays are replaced as a whole.
   *
   * The specification does not define the effect of a partial object: the service may merge it, or replace the stored one.
   * `merge` works in both cases.
   */
  update(
    clientToken: string,
    changes: InVersion<V, VersionTypes['ClientSessionChanges']>,
    options?: ResendableRequestOptions,
  ): Call<InVersion<V, VersionTypes['ClientSession']>> {
    return this.#transport.send(operations.update, { identity: { clientToken }, body: changes }, options)
  }

  /**
   * Change some fields of a client session, including nested ones: gets the session, merges the changes, and sends whole objects.
   *
   * Not atomic: if two merges run at the same time, the later one wins.
   */
  merge(
    clientToken: string,
    changes: InVersion<V, VersionTypes['ClientSessionChanges']>,
    options?: ResendableRequestOptions,
  ): Call<InVersion<V, VersionTypes['ClientSession']>> {
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
