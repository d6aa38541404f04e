import { type Call, toCall } from '../call.js'
import * as operations from '../contract/client-sessions.js'
import type { ApiVersion, CartIn, TypeIn } from '../contract/version.js'
import { copyPlainData } from '../internal/plain-data.js'
import type { RequestOptions, ResendableRequestOptions } from '../options.js'
import type { CreateClientSessionBody, CreateClientSessionBodyV21 } from '../schemas/client-session.js'
import type { Transport } from '../transport/transport.js'
import { attach, transportOf } from './namespace.js'

/** The body is required in version `2.1`, because it must contain `lineItems`. */
interface CreateArguments {
  order: [body?: CreateClientSessionBody, options?: ResendableRequestOptions]
  lineItems: [body: CreateClientSessionBodyV21, options?: ResendableRequestOptions]
}

/**
 * Creates, retrieves and changes client sessions, which initialize a checkout. Specification: Endpoints,
 * `/client-session`.
 */
export class ClientSessions<V extends ApiVersion = '2021-09-27'> {
  /** @internal */
  constructor(transport: Transport<V>) {
    attach(this, transport)
  }

  /**
   * Creates a client session and its client token, which is valid for 24 hours.
   *
   * Retried only if the service certainly did not process the request, or if `resend` is true. With `resend`, a retry
   * may create a second session that is never used.
   *
   * @param body The order, customer and amount, as far as they are known. Version `2.1` requires `lineItems`.
   * @param options `resend`, timeouts, retries, headers and abort signal for this call.
   * @example
   * const { clientToken } = await client.clientSessions.create({ orderId: 'order-17', currencyCode: 'EUR', amount: 700 })
   */
  create(...given: CreateArguments[CartIn<V>]): Call<TypeIn<V, 'CreatedClientSession'>> {
    const [body, options] = given
    // The cast is needed because TypeScript cannot infer that `body` has the type for version `V`.
    return transportOf<V>(this).send(operations.create, { body: body as TypeIn<V, 'CreateClientSessionBody'> }, options)
  }

  /**
   * Returns a client session. Empty fields are omitted.
   *
   * @param clientToken The token that `create` returned. It expires 24 hours after creation.
   * @param options Timeouts, retries, headers and abort signal for this call.
   * @throws {NotFoundError} The session does not exist, or its token expired.
   * @example
   * const session = await client.clientSessions.get(clientToken)
   */
  get(clientToken: string, options?: RequestOptions): Call<TypeIn<V, 'ClientSession'>> {
    return transportOf<V>(this).send(operations.get, { query: { clientToken } }, options)
  }

  /**
   * Changes fields of a client session.
   *
   * To change only part of a nested object, use `merge`. The specification does not define whether the service merges
   * or replaces nested objects.
   *
   * @param clientToken The token that `create` returned. It expires 24 hours after creation.
   * @param changes The fields to change. `null` clears a field, and an array replaces the previous one.
   * @param options `resend`, timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.clientSessions.update(clientToken, { customerId: 'customer-1', amount: 900 })
   */
  update(
    clientToken: string,
    changes: TypeIn<V, 'ClientSessionChanges'>,
    options?: ResendableRequestOptions,
  ): Call<TypeIn<V, 'ClientSession'>> {
    return transportOf<V>(this).send(operations.update, { identity: { clientToken }, body: changes }, options)
  }

  /**
   * Changes fields of a client session, including nested fields.
   *
   * Retrieves the session, merges the changes into it and sends complete objects. This is not atomic, so it may
   * overwrite a concurrent change. You can pass a changed session from `get`, but its `paymentMethod.options` must be
   * unchanged, because they cannot be updated.
   *
   * @param clientToken The token that `create` returned. It expires 24 hours after creation.
   * @param changes The fields to change. `null` clears a field, and an array replaces the previous one.
   * @param options `resend`, timeouts, retries, headers and abort signal for this call.
   * @example
   * await client.clientSessions.merge(clientToken, { customer: { emailAddress: 'zoe@example.com' } })
   */
  merge(
    clientToken: string,
    changes: TypeIn<V, 'ClientSessionChanges'> | TypeIn<V, 'ClientSession'>,
    options?: ResendableRequestOptions,
  ): Call<TypeIn<V, 'ClientSession'>> {
    const identity = { clientToken }
    // The two types differ only in the payment method options, which `splitOptions` removes.
    const given = changes as TypeIn<V, 'ClientSessionChanges'>
    const merged = async () => {
      const { body, returned } = splitOptions(given)
      // Accepts misspelled nested fields for now. `send` rejects them unless the session has the same fields.
      const checked = transportOf<V>(this).check(operations.update, { identity, body, onto: Object(body) }, options)
      if ('issues' in checked) return transportOf<V>(this).send(operations.update, { checked }).withResponse()
      // Copies the changes, because the caller may modify them while the session is retrieved.
      const copy = copyPlainData(body, []) as typeof given
      const { resend, extraBody, ...readOptions } = options ?? {}
      const { paymentMethod, ...rest } = await this.get(clientToken, readOptions)
      const isUnchanged = returned === undefined || returned === JSON.stringify(paymentMethod?.options)
      const onto = { ...rest, paymentMethod: { ...paymentMethod, options: undefined } }
      return transportOf<V>(this)
        .send(operations.update, { identity, body: isUnchanged ? copy : given, onto }, options)
        .withResponse()
    }
    const result = merged()
    const data = async () => (await result).data
    return toCall(data(), async () => (await result).response)
  }
}

/**
 * Removes the payment method options from changes and returns them as JSON. Keeps empty options, because they cannot
 * come from `get`, which omits empty fields.
 */
function splitOptions<Changes>(changes: Changes): { body: Changes; returned?: string } {
  const { paymentMethod } = Object(changes)
  if (Object.keys(Object(Object(paymentMethod).options)).length === 0) return { body: changes }
  const { options, ...rest } = paymentMethod
  return { body: { ...changes, paymentMethod: rest }, returned: JSON.stringify(options) }
}
