import { PaymentsClient, RequestValidationError } from 'payments-client'
import { anyText, Decisions, seed } from './decisions.js'

/**
 * Checks that the client either rejects a path or query parameter, or sends exactly one request for it.
 *
 * The URL must start with the base URL, have the template's segments, and decode to the same parameters. The client may
 * reject only strings that cannot be a path segment.
 */
export async function fuzz(input: Uint8Array): Promise<void> {
  const decisions = new Decisions(input)
  const base = decisions.choose(baseUrls)
  const ask = decisions.choose(requests)
  const readText = decisions.choose(texts)
  const queried = readText(decisions.bytes())
  const named = readText(decisions.rest())
  const addresses: URL[] = []
  const client = new PaymentsClient({
    apiKey: 'key-1',
    baseUrl: base,
    fetch: async (url) => {
      addresses.push(new URL(url))
      return new Response('{}')
    },
    maxRetries: 0,
    responseValidation: 'off',
  })

  const { path, query, isPossible, call } = ask(client, named, queried)
  const wasRefused = await call.then(
    () => false,
    (error) => {
      if (error instanceof RequestValidationError && error.outcome === 'not_sent') return true
      throw error
    },
  )

  const values = JSON.stringify([base, named, queried])
  if (wasRefused === isPossible) throw new Error(`${values}: rejected: ${wasRefused}, valid: ${isPossible}`)
  if (addresses.length !== (wasRefused ? 0 : 1)) throw new Error(`${values}: ${addresses.length} requests`)
  for (const address of addresses) {
    const { pathname } = new URL(base)
    const prefix = pathname.replace(/\/+$/, '').split('/').slice(1)
    const segments = address.pathname.split('/').slice(1)
    const expected = [...prefix.map(decodeURIComponent), ...path]
    const isRight =
      address.origin === new URL(base).origin &&
      address.username + address.password + address.hash === '' &&
      JSON.stringify(segments.map(decodeURIComponent)) === JSON.stringify(expected) &&
      JSON.stringify(readQuery(address)) === JSON.stringify(query)
    if (!isRight) throw new Error(`${values}: the request goes to ${address.href}`)
  }
}

interface Asked {
  /** The decoded path segments after the base URL. */
  path: string[]
  /** The decoded names and values. */
  query: string[][]
  /** Whether a URL can contain these strings. */
  isPossible: boolean
  call: PromiseLike<unknown>
}

/** Functions that make a request with the given strings in its path and query. */
const requests: readonly ((client: PaymentsClient, named: string, queried: string) => Asked)[] = [
  ({ payments }, named) => ({
    path: ['payments', named],
    query: [],
    isPossible: isSegment(named),
    call: payments.get(named),
  }),
  ({ payments }, named) => ({
    path: ['payments', named, 'capture'],
    query: [],
    isPossible: isSegment(named),
    call: payments.capture(named),
  }),
  ({ loyalty }, named, queried) => ({
    path: ['loyalty-customers', named],
    query: [['connectionId', queried]],
    isPossible: isSegment(named) && isQueryText(queried),
    call: loyalty.customers.get(named, { connectionId: queried }),
  }),
  ({ paymentInstruments }, _, queried) => ({
    path: ['payment-instruments'],
    query: [['customer_id', queried]],
    isPossible: isQueryText(queried),
    call: paymentInstruments.list({ customerId: queried }),
  }),
  (client, named, queried) => {
    const segments = named.split('/')
    return {
      path: ['reports', ...segments.map(decoded)],
      query: [['name', queried]],
      isPossible: segments.every(isOwnSegment) && queried.isWellFormed(),
      call: client.request({ method: 'GET', path: `/reports/${named}`, query: { name: queried } }),
    }
  },
]

const baseUrls = [
  'https://payments.test',
  'https://payments.test/api',
  'https://payments.test:8443/a%20b/%2e-/v1//',
  'http://127.0.0.1:4010/..%2F/',
]

/** Functions that decode bytes as UTF-8, or as UTF-16 with any characters. */
const texts = [(bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'), anyText]

function isSegment(text: string): boolean {
  return (
    text !== '' && text !== '.' && text !== '..' && text.length <= 1024 && text.isWellFormed() && !hasControls(text)
  )
}

/** Returns whether a string is a valid identifier in the query. It must be well-formed and not empty. */
function isQueryText(text: string): boolean {
  return text !== '' && text.isWellFormed()
}

function hasControls(text: string): boolean {
  return [...text].some((letter) => letter < ' ' || letter === '\u007f')
}

/** Returns whether a segment is valid in the path of `client.request`. It must not decode to a dot segment. */
function isOwnSegment(text: string): boolean {
  const meant = decoded(text)
  const climbs = meant.split(/[/\\]/).some((part) => part === '.' || part === '..')
  return canDecode(text) && !/[?#\\]/.test(text) && isSegment(meant) && !climbs
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

function decoded(text: string): string {
  return canDecode(text) ? decodeURIComponent(text) : text
}

function readQuery({ search }: URL): string[][] {
  if (search === '') return []
  return search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=').map(decodeURIComponent))
}

export const seeds = requests.flatMap((_, request) => [
  seed(0, request, 0, ['connection-1'], 'pay_1'),
  seed(1, request, 0, ['a&b=c?d#e,f+g h'], 'a/b?c#d\\e%2e%2e'),
  seed(2, request, 0, ['.'], '..'),
  seed(3, request, 1, ['a\u0000'], 'p\u0000a\u0000'),
  seed(1, request, 0, ['\u0000'], '%2e%2e%2fadmin/%E2%82%AC/é😀'),
])

export const words = ['..', '%2e', '%2F', '%5c', '/', '\\', '?', '#', '@', ':', '//', ';', '%', '\u0000', '\ud83d']
