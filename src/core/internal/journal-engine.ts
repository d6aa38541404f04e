/** The property in which a journal contains its own code, so that clients without a journal do not load this code. */
export const engine: unique symbol = Symbol.for('payments-client.journal') as never
