/** Where a share of the values lies below. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const above = Math.ceil(position)
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below)
}

export const median = (values) => quantile(values, 0.5)

/** What a thing costs when nothing comes between: other work only ever makes it dearer. */
export const lowerQuartile = (values) => quantile(values, 0.25)
