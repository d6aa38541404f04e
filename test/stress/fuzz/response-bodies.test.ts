import fc from 'fast-check'
import { type PaymentsClient, PaymentsError } from 'payments-client'
import { ClientSessionSchema, PaymentInstrumentSchema, PaymentSchema } from 'payments-client/schemas'
import { expect, it } from 'vitest'
import { apiKey, clientWith } from '../../support/clients.js'
import { mutated } from './mutated.js'

const maxResponseBytes = 2048

interface Operation {
  method: string
  /** Whether the client sends an idempotency key. */
  isKeyed?: true
  call: (client: PaymentsClient) => PromiseLike<unknown>
  schema: { safeParse(value: unknown): { success: boolean } }
}

const operations: readonly Operation[] = [
  { method: 'GET', call: ({ payments }) => payments.get('pay_1'), schema: PaymentSchema },
  { method: 'POST', isKeyed: true, call: ({ payments }) => payments.capture('pay_1'), schema: PaymentSchema },
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

const headers: readonly Record<string, string>[] = [
  { 'content-type': 'application/json' },
  {},
  { 'content-type': 'text/html; charset=latin1' },
  { 'content-encoding': 'gzip' },
  { 'retry-after': '9', 'content-length': '3' },
]

/** A response body: its bytes, its chunk size, and how the body ends (normally, with an error, or never). */
interface Body {
  bytes: Uint8Array
  chunkSize: number
  ending: 'complete' | 'broken' | 'endless'
}

const bodies: fc.Arbitrary<Body> = fc.record({
  bytes: mutated(
    [
      '{"id":"pay_1","status":"AUTHORIZED","amount":700,"currencyCode":"EUR","metadata":{"a":[1,null]}}',
      `{"error":{"errorId":"No","description":"${apiKey}","validationErrors":[{"errors":[{"path":"$.a"}]}]}}`,
      '{"clientToken":"token-1","customer":{"billingAddress":null},"order":{"lineItems":[]}}',
      '{"token":"tok_1","paymentMethodType":"PAYMENT_CARD","default":true}',
      '\ufeff{"id":"é😀","amount":9007199254740993,"__proto__":{"polluted":1}}',
      `{"id":"pay_1","metadata":${'['.repeat(600)}${']'.repeat(600)}}`,
      '<html>',
      '',
    ],
    [
      ...['"id":', '"error":{', '"errorId":', '"description":', '"validationErrors":', '"transactions":[', 'null'],
      ...['"processor":', '"__proto__":', '"constructor":', 'true', '1e400', '-0', '"\\ud800"', '[]', '{}', '\ufeff'],
    ],
  ),
  chunkSize: fc.integer({ min: 1, max: 256 }),
  ending: fc.constantFrom('complete', 'complete', 'broken', 'endless'),
})

it('the client returns a valid value or a typed error for any response body', async () => {
  const input = [
    fc.constantFrom(...operations),
    fc.constantFrom(...statuses),
    fc.constantFrom(...headers),
    bodies,
  ] as const

  await fc.assert(
    fc.asyncProperty(...input, async (operation, status, givenHeaders, given) => {
      const body = [204, 304].includes(status) ? undefined : given
      const stream = body && streamOf(body)
      const respond = () => new Response(stream?.readable ?? null, { status, headers: givenHeaders })

      const result = await operation.call(clientWith(respond, { maxResponseBytes })).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )

      const expected = expectedResult(operation, status, body)
      if ('value' in result) {
        expect(expected).toBe('value')
        if (result.value !== undefined) expect(operation.schema.safeParse(result.value).success).toBe(true)
      } else {
        expect(result.error).toBeInstanceOf(PaymentsError)
        expect(result.error).toMatchObject({ outcome: expected })
        expect(String((result.error as Error).stack)).not.toContain(apiKey)
      }
      expect(stream?.bytesRead() ?? 0).toBeLessThanOrEqual(maxResponseBytes + 512)
      expect('polluted' in {}).toBe(false)
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
  )
})

function streamOf({ bytes, chunkSize, ending }: Body) {
  let read = 0
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull(controller) {
      const chunk = bytes.slice(read, read + chunkSize)
      const next = chunk.length > 0 ? chunk : ending === 'endless' ? new Uint8Array(chunkSize).fill(0x20) : undefined
      if (next === undefined) return ending === 'broken' ? controller.error(new Error('cut')) : controller.close()
      read += next.length
      controller.enqueue(next)
    },
  }
  return { readable: new ReadableStream(source, { highWaterMark: 0 }), bytesRead: () => read }
}

/** Returns the expected result of a call: a value, or the outcome in its error. */
function expectedResult({ method, isKeyed, schema }: Operation, status: number, body?: Body) {
  const json = body?.ending === 'complete' && body.bytes.length <= maxResponseBytes ? parsed(body.bytes) : undefined
  const error = Array.isArray(json) ? undefined : Object(json).error
  const { errorId, description } = Object(error)
  const hasErrorId = typeof errorId === 'string' && errorId !== ''
  if (status === 408 && method !== 'GET') return 'unknown'
  if ((status === 400 || status === 409) && isKeyed && !hasErrorId) return 'unknown'
  if (status >= 400 && status < 500) return 'rejected'
  if (status >= 300 && status < 400 && method === 'GET') return 'rejected'
  if (status >= 300) return 'unknown'
  if (json === undefined || isTooDeep(body?.bytes)) return 'accepted'
  const isError = !Array.isArray(error) && (typeof errorId === 'string' || typeof description === 'string')
  if (isError) return 'unknown'
  return schema.safeParse(json).success ? 'value' : 'accepted'
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const isTooDeep = (bytes: Uint8Array = new Uint8Array()) => /[\]}]{500}/.test(Buffer.from(bytes).toString('latin1'))
