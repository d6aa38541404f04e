/** The property in which a journal contains its functions, so that clients without a journal do not load their code. */
export const journalFunctions: unique symbol = Symbol.for('payments-client.journal') as never
