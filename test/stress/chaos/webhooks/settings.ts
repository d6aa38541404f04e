/** The signing secret of the sender and the receivers. */
export const secret = 'whsec_of_the_chaos_test'

/** Milliseconds until a killed receiver's claim on a delivery expires. */
export const claimTtl = 6_000

/** Returns how many milliseconds the webhook function takes for an event, in some cases longer than `claimTtl`. */
export function durationOf(event: number): number {
  if (event % 1000 === 999) return claimTtl + 500
  if (event % 20 === 19) return 300
  return event % 5
}
