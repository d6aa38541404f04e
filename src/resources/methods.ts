/** One method for every operation in a part of the contract. A resource class that lacks one does not compile. */
export type Methods<Operations> = { readonly [Name in keyof Operations]: (...args: never[]) => unknown }
