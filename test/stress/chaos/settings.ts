/** The signing secret of the sender and the receivers. */
export const secret = 'whsec_of_the_chaos_test'

/** Milliseconds until the claim of a killed receiver expires. */
export const claimTtl = 6_000

/** Returns how many milliseconds the webhook function runs for an event. The longest duration exceeds `claimTtl`. */
export function durationOf(event: number): number {
  if (event % 1000 === 999) return claimTtl + 500
  if (event % 20 === 19) return 300
  return event % 5
}
