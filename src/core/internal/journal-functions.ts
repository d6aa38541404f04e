/** The key of a journal's functions. Clients never import them, so bundles without a journal omit their code. */
export const journalFunctions: unique symbol = Symbol.for('payments-client.journal') as never
