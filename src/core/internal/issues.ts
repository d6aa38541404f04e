/** The kind of problem with a value, as a stable code for programs. */
export type IssueCode =
  /** A required value is absent or undefined. */
  | 'missing'
  /** The name of an option or field that does not exist. */
  | 'unknown_key'
  /** A value of the wrong type. */
  | 'invalid_type'
  /** A value of the right type that is not allowed. */
  | 'invalid_value'
  /** A number or a length outside its limits. */
  | 'out_of_range'
  /** The name of an option or field that exists, but is not allowed here. */
  | 'not_allowed'
  /** Data that JSON would silently drop or change: a promise, a boxed value, or inherited or non-enumerable data. */
  | 'not_plain_data'
  /** More than 500 levels of nesting. */
  | 'too_deep'

/** One problem with one value. Never contains the value. */
export interface Issue {
  /** Keys and indexes, outermost first, for example `['order', 'lineItems', 0, 'amount']`. */
  readonly path: readonly (string | number)[]
  /** The rule that was broken, for example `must be an integer`. */
  readonly message: string
  readonly code?: IssueCode
  /** The valid name that the caller probably meant. */
  readonly suggestion?: string
}

export function unknownKey(path: Issue['path'], known: readonly string[], noun: string): Issue {
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a'
  const { hint, ...suggested } = suggest(String(path.at(-1)), known)
  return { path, code: 'unknown_key', message: `is not ${article} ${noun}${hint}`, ...suggested }
}

/** Returns the known name that the caller probably meant, and a hint to append to a message. */
export function suggest(name: string, known: readonly string[]): { hint: string; suggestion?: string } {
  const suggestion = nearest(name, known)
  return suggestion === undefined ? { hint: '' } : { hint: `: did you mean "${suggestion}"?`, suggestion }
}

/** Formats issues for a message: `order.lineItems[0].amount must be an integer`. Shows at most five. */
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

/** Masks long numbers, because a key may itself be data, such as a card number in metadata. */
function maskDigits(key: string): string {
  return key.replace(/\d{6,}/g, '[…]')
}

/** Maps names from other payment SDKs (lower case, without separators) to our names with the same meaning. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  paymentmethod: ['paymentMethodToken'],
  paymentmethodid: ['paymentMethodToken'],
  paymenttoken: ['paymentMethodToken'],
  source: ['paymentMethodToken'],
  sourceid: ['paymentMethodToken'],
  card: ['paymentMethodToken'],
  token: ['paymentMethodToken'],
  currency: ['currencyCode'],
  country: ['countryCode'],
  value: ['amount'],
  total: ['amount'],
  reference: ['orderId'],
  merchantreference: ['orderId'],
  email: ['emailAddress', 'customerEmailAddress'],
  phone: ['mobileNumber'],
  zip: ['postalCode'],
  line1: ['addressLine1'],
  statementdescriptor: ['descriptor', 'paymentMethod'],
  startingafter: ['cursor'],
  pagesize: ['limit'],
  key: ['apiKey'],
  secretkey: ['apiKey'],
  endpoint: ['baseUrl'],
  host: ['baseUrl'],
  maxnetworkretries: ['maxRetries'],
}

/** Returns the known name that the caller probably meant: a name with the same meaning, or else a similar name. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const same = synonymOf(name, known)
  if (same !== undefined) return same
  const ranked = known
    .map((candidate) => ({ candidate, distance: levenshteinDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(2, name.length / 2) ? best.candidate : undefined
}

/** Returns the known name with the same meaning. */
function synonymOf(name: string, known: readonly string[]): string | undefined {
  const bare = lettersOf(name)
  return Object.hasOwn(synonyms, bare) ? synonyms[bare]?.find((synonym) => known.includes(synonym)) : undefined
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** Other names under which the service sends some fields (docs/project/assumptions.md). Not misspellings. */
const observedNames: readonly string[] = [
  'email',
  'fraudChecks',
  'paymentInstrumentData',
  'paymentInstrumentType',
  'processor_merchant_id',
  'type',
]

/** Returns whether a name is so similar to a known name that it is probably not a new field of the service. */
export function isMisspelled(name: string, known: readonly string[]): boolean {
  if (observedNames.includes(name)) return false
  const letters = lettersOf(name)
  const maxDistance = Math.min(2, name.length / 3)
  return known.some((candidate) => levenshteinDistance(letters, lettersOf(candidate)) <= maxDistance)
}

function levenshteinDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] as number) + (letter === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
