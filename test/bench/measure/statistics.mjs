/** Returns a quantile, for example the median for `share = 0.5`. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const above = Math.ceil(position)
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below)
}

export const median = (values) => quantile(values, 0.5)

/** Returns the lower quartile, a robust estimate of cost: other processes can only slow a round down. */
export const lowerQuartile = (values) => quantile(values, 0.25)
