import { PaymentsClient, PaymentsError } from 'payments-client'
import { ClientSessionSchema, PaymentInstrumentSchema, PaymentSchema } from 'payments-client/schemas'
import { Decisions, seed } from './decisions.js'

const apiKey = 'the-api-key-that-nobody-may-print'

const maxResponseBytes = 2048
const largestChunk = 256

/**
 * Checks that a call returns a valid value or throws a `PaymentsError` with the right outcome, for any response body.
 *
 * The body may be chunked, truncated or endless. The client must stop reading at its size limit, must not print the API
 * key, and must not change prototypes.
 */
export async function fuzz(input: Uint8Array): Promise<void> {
  const decisions = new Decisions(input)
  const operation = decisions.choose(operations)
  const status = decisions.choose(statuses)
  const headers = decisions.choose(headersOfAnswers)
  const ending = decisions.choose(endings)
  const chunkSize = 1 + (decisions.number() % largestChunk)
  const bytes = decisions.rest()
  const body = bodyOf(bytes, chunkSize, ending)
  const hasBody = !bodiless.includes(status)
  const client = new PaymentsClient({
    apiKey,
    baseUrl: 'https://payments.test',
    fetch: async () => new Response(hasBody ? body.stream : null, { status, headers }),
    maxRetries: 0,
    maxResponseBytes,
  })

  const found = await operation.call(client).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )

  const expected = meaning(operation, status, hasBody ? bytes : new Uint8Array(), hasBody ? ending : 'whole')
  const text = `${operation.method} ${status} ${JSON.stringify(headers)} ${ending}, in pieces of ${chunkSize}`
  if ('value' in found) {
    if (expected !== 'value') throw new Error(`${text}: the result is a value instead of ${expected}`)
    if (found.value !== undefined && !operation.schema.safeParse(found.value).success)
      throw new Error(`${text}: the value violates the contract`)
  } else {
    if (!(found.error instanceof PaymentsError)) throw found.error
    const { outcome, stack } = found.error
    if (outcome !== expected) throw new Error(`${text}: the result is ${outcome} instead of ${expected}`)
    if (String(stack).includes(apiKey)) throw new Error(`${text}: the error prints the API key`)
  }
  if (body.handedOut > maxResponseBytes + 2 * largestChunk)
    throw new Error(`${text}: the client read ${body.handedOut} bytes`)
  if ('polluted' in {} || Object.keys(Object.prototype).length > 0) throw new Error(`${text}: a prototype changed`)
}

interface AskedOperation {
  method: string
  /** Whether the client sends an idempotency key. */
  isKeyed?: true
  call: (client: PaymentsClient) => PromiseLike<unknown>
  schema: { safeParse(value: unknown): { success: boolean } }
}

const operations: readonly AskedOperation[] = [
  { method: 'GET', call: ({ payments }) => payments.get('pay_1'), schema: PaymentSchema },
  {
    method: 'POST',
    isKeyed: true,
    call: ({ payments }) => payments.capture('pay_1', { amount: 700 }),
    schema: PaymentSchema,
  },
  { method: 'GET', call: ({ clientSessions }) => clientSessions.get('token-1'), schema: ClientSessionSchema },
  {
    method: 'POST',
    call: ({ paymentInstruments }) => paymentInstruments.setDefault('tok_1'),
    schema: PaymentInstrumentSchema,
  },
]

const statuses = [
  200, 201, 202, 204, 206, 299, 300, 302, 304, 307, 400, 401, 403, 404, 408, 409, 422, 429, 499, 500, 503,
]
const bodiless = [204, 304]

const headersOfAnswers: readonly Record<string, string>[] = [
  { 'content-type': 'application/json' },
  {},
  { 'content-type': 'text/html; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { 'retry-after': '9', 'content-length': '3' },
]

/** The ways in which a body ends after its bytes: normally, with an error, or never. */
const endings = ['whole', 'broken', 'endless'] as const

/** Creates a chunked body that counts the bytes read from it. */
function bodyOf(bytes: Uint8Array, chunkSize: number, ending: (typeof endings)[number]) {
  const body = { stream: undefined as unknown as ReadableStream<Uint8Array>, handedOut: 0 }
  body.stream = new ReadableStream(
    {
      pull(controller) {
        const chunk = bytes.slice(body.handedOut, body.handedOut + chunkSize)
        const next = chunk.length > 0 ? chunk : ending === 'endless' ? new Uint8Array(chunkSize).fill(0x20) : undefined
        if (next === undefined) return ending === 'broken' ? controller.error(new Error('cut')) : controller.close()
        body.handedOut += next.length
        controller.enqueue(next)
      },
    },
    { highWaterMark: 0 },
  )
  return body
}

/** Returns the expected result of a call: a value, or the outcome in its error. */
function meaning(
  { method, isKeyed, schema }: AskedOperation,
  status: number,
  bytes: Uint8Array,
  ending: (typeof endings)[number],
): 'value' | 'accepted' | 'rejected' | 'unknown' {
  if (status === 408 && method !== 'GET') return 'unknown'
  if ((status === 400 || status === 409) && isKeyed && !hasErrorId(bytes, ending)) return 'unknown'
  if (status >= 400 && status < 500) return 'rejected'
  if (status >= 300 && status < 400 && method === 'GET') return 'rejected'
  if (status >= 300) return 'unknown'
  const read = ending === 'whole' && bytes.length <= maxResponseBytes ? parsed(bytes) : undefined
  if (read === undefined) return 'accepted'
  const { errorId, description } = Object(Object(read.json).error)
  const hasError = !Array.isArray(read.json) && !Array.isArray(Object(read.json).error)
  if (hasError && (typeof errorId === 'string' || typeof description === 'string')) return 'unknown'
  return schema.safeParse(read.json).success ? 'value' : 'accepted'
}

/** Returns whether the client can read the id of an error. */
function hasErrorId(bytes: Uint8Array, ending: (typeof endings)[number]): boolean {
  if (ending !== 'whole' || bytes.length > maxResponseBytes) return false
  const { errorId } = Object(Object(jsonIn(bytes)).error)
  return typeof errorId === 'string' && errorId !== ''
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** Parses a JSON body. Returns undefined for invalid or too deeply nested JSON. */
function parsed(bytes: Uint8Array): { json: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /[\]}]{500}/.test(text) ? undefined : { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const payment = '{"id":"pay_1","status":"AUTHORIZED","amount":700,"currencyCode":"EUR","metadata":{"a":[1,null]}}'
const refusal = `{"error":{"errorId":"No","description":"${apiKey}","validationErrors":[{"errors":[{"path":"$.a"}]}]}}`

export const seeds = [
  ...operations.map((_, operation) => seed(operation, 0, 0, 0, 20, payment)),
  ...endings.map((_, ending) => seed(1, 0, 1, ending, 255, payment)),
  ...statuses.map((_, status) => seed(1, status, 0, 0, 63, refusal)),
  seed(2, 0, 0, 0, 100, '{"clientToken":"token-1","customer":{"billingAddress":null},"order":{"lineItems":[]}}'),
  seed(3, 0, 0, 0, 100, '{"token":"tok_1","paymentMethodType":"PAYMENT_CARD","default":true}'),
  seed(0, 0, 0, 0, 7, '\ufeff{"id":"é😀","amount":9007199254740993,"__proto__":{"polluted":1}}'),
  seed(0, 0, 0, 0, 7, `{"id":"pay_1","metadata":${'['.repeat(600)}${']'.repeat(600)}}`),
  seed(0, 0, 2, 0, 7, '<html>'),
  seed(0, 0, 3, 0, 7, ''),
]

export const words = [
  ...['"id":', '"error":{', '"errorId":', '"description":', '"validationErrors":', '"transactions":[', '"processor":'],
  ...['"__proto__":', '"constructor":', 'null', 'true', '1e400', '-0', '"\\ud800"', '[]', '{}', '\ufeff', apiKey],
]
