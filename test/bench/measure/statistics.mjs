/** Returns the value below which the given share of the values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const above = Math.ceil(position)
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below)
}

export const median = (values) => quantile(values, 0.5)

/** Returns the cost without disturbance, because other work can only increase a cost. */
export const lowerQuartile = (values) => quantile(values, 0.25)
