/** Settings that the sender and the receivers share. */
export const secret = 'whsec_of_the_chaos_test'

/** Milliseconds until the claim of a dead receiver expires. */
export const claimTtl = 6_000

/** How long the function of an event runs, in milliseconds. The longest one outlasts `claimTtl`. */
export function durationOf(event: number): number {
  if (event % 1000 === 999) return claimTtl + 500
  if (event % 20 === 19) return 300
  return event % 5
}
