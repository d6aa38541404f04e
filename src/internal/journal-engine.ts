/** The property of a journal that contains its code, so that clients without a journal do not load it. */
export const engine: unique symbol = Symbol.for('payments-client.journal') as never
