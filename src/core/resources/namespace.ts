import { ConfigurationError } from '../errors.js'
import type { Transport } from '../transport/transport.js'

const transports = new WeakMap<object, Transport>()

/** Stores the transport of a client or one of its namespaces, such as `client.payments`. */
export function attach(namespace: object, transport: Transport): void {
  transports.set(namespace, transport)
}

/**
 * Returns the transport of a client or namespace. Does not use a private field, because the error for a destructured
 * method would name that field.
 *
 * @throws {ConfigurationError} The method was called without its object.
 */
export function transportOf<V extends string>(namespace: object): Transport<V> {
  const transport = transports.get(namespace)
  if (transport === undefined) {
    throw new ConfigurationError(
      'A method was called without its object: write client.payments.create(…) instead of const { create } = client.payments',
    )
  }
  return transport as Transport<V>
}
