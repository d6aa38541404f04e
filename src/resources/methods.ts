/** A method for every operation of a part of the contract: forgetting one does not compile. */
export type Methods<Operations> = { readonly [Name in keyof Operations]: (...args: never[]) => unknown }
