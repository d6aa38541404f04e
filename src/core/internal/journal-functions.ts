/**
 * The property of a journal that contains its functions. The client does not import these functions, so bundles without
 * a journal omit their code.
 */
export const journalFunctions: unique symbol = Symbol.for('payments-client.journal') as never
