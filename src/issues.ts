/** What is wrong with one value, and where. Never the value itself. */
export interface Issue {
  /** Keys and indexes from the outside in, e.g. `['order', 'lineItems', 0, 'amount']`. */
  readonly path: readonly (string | number)[]
  /** The rule that was broken, e.g. `must be an integer`. */
  readonly message: string
}

/** `order.lineItems[0].amount must be an integer`, for messages. */
export function describeIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, 5).map(({ path, message }) => `${formatPath(path)} ${message}`)
  return issues.length > shown.length
    ? `${shown.join('; ')}; and ${issues.length - shown.length} more`
    : shown.join('; ')
}

function formatPath(path: Issue['path']): string {
  if (path.length === 0) return 'the value'
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text === '' ? '' : `${text}.`}${maskDigits(key)}`),
    '',
  )
}

/** A key may be data, such as a card number that ended up in metadata. */
function maskDigits(key: string): string {
  return key.replace(/\d{6,}/g, '[…]')
}
