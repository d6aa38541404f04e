import { format, inspect } from 'node:util'
import {
  ClaimLostError,
  type ClientOptions,
  createMemoryJournal,
  minorUnits,
  PaymentsClient,
  toDate,
  webhooks,
} from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { expect } from 'vitest'
import { clientOf, clientWith, payment } from '../../support/clients.js'

/** Values that must never be printed. */
export const secrets = {
  apiKey: 'canary-api-key-7f3a',
  signingSecret: 'canary-signing-secret-91bd',
  clientToken: 'canary-client-token-44c0',
  paymentToken: 'canary-payment-token-e210',
  resumeToken: 'canary-resume-token-b5d1',
  card: '4242424242424242',
  spacedCard: '4242 4242 4242 4242',
  address: 'canary@shop.test',
}
const echo = Object.values(secrets).join(', ')

/** Formats a value with every function that programs use to print values. */
export function printed(value: unknown): string {
  // Follows only own `cause` properties. `ConnectionError.cause` is a getter, which no printing function calls.
  const chain: unknown[] = []
  for (let link = value; link !== undefined && chain.length < 10; link = ownValue(link, 'cause')) chain.push(link)
  return chain
    .flatMap((link) => [
      String((link as Error).message),
      String((link as Error).stack),
      String(link),
      inspect(link, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null, maxArrayLength: null }),
      JSON.stringify(link),
      JSON.stringify(Object.getOwnPropertyNames(link).map((name) => [name, ownValue(link, name)])),
      inspect(structuredClone(link), { depth: Number.POSITIVE_INFINITY, showHidden: true }),
      format('%s %o %O %j', link, link, link, link),
      inspect(new AggregateError([link], 'several'), { depth: Number.POSITIVE_INFINITY }),
    ])
    .join('\n')
}

function ownValue(object: unknown, name: string): unknown {
  return Object.getOwnPropertyDescriptor(object, name)?.value
}

export function expectNoSecretIn(output: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    const at = output.indexOf(secret)
    if (at >= 0) expect.fail(`The output contains the ${name}: …${output.slice(Math.max(0, at - 80), at + 40)}…`)
  }
}

/** Calls that pass secrets in every field that may contain one. */
export const calls: [string, (client: PaymentsClient) => PromiseLike<unknown>][] = [
  [
    'payments.create',
    ({ payments }) => {
      const metadata = { note: secrets.card, again: secrets.spacedCard }
      const customer = { emailAddress: secrets.address }
      return payments.create({ paymentMethodToken: secrets.paymentToken, metadata, customer })
    },
  ],
  ['payments.resume', ({ payments }) => payments.resume('pay_1', { resumeToken: secrets.resumeToken })],
  ['payments.list', ({ payments }) => payments.list({ customerEmailAddress: secrets.address, orderId: secrets.card })],
  ['clientSessions.get', ({ clientSessions }) => clientSessions.get(secrets.clientToken)],
  ['clientSessions.update', ({ clientSessions }) => clientSessions.update(secrets.clientToken, { orderId: 'o' })],
  ['paymentInstruments.delete', ({ paymentInstruments }) => paymentInstruments.delete(secrets.paymentToken)],
  [
    'request',
    (client) =>
      client.request({
        method: 'POST',
        path: `/payment-instruments/${secrets.paymentToken}/verify`,
        query: { clientToken: secrets.clientToken },
        body: { card: secrets.card },
      }),
  ],
]

/** A fake service whose responses quote the request. */
type Responder = (request: Request) => Response | Promise<Response>

async function contentOf(request: Request): Promise<string> {
  const { url, headers } = request
  return [decodeURIComponent(url), ...headers.values(), await request.text(), secrets.card, secrets.address].join(' ')
}

/** Returns an error body whose fields quote the request. `name` is used as the IDs in this body. */
function envelope(content: string, name: string): object {
  const errors = [{ path: content, description: content }]
  return {
    error: {
      errorId: name,
      description: `Sent was ${content}`,
      diagnosticsId: name,
      recoverySuggestion: content,
      validationErrors: [{ model: content, errors }],
      paymentId: name,
      paymentStatus: content,
    },
  }
}

/** Returns the token in a request, or else its API key. */
const named = (content: string) =>
  [secrets.paymentToken, secrets.clientToken, secrets.resumeToken, secrets.apiKey].find((secret) =>
    content.includes(secret),
  ) ?? 'x'

const withEnvelope =
  (status: number, name: (content: string) => string): Responder =>
  async (request) => {
    const content = await contentOf(request)
    return Response.json(envelope(content, name(content)), { status, headers: { 'x-echo': encodeURI(content) } })
  }
export const respondWith =
  (status: number, body: string | Blob | object, headers: Record<string, string> = {}): Responder =>
  () =>
    new Response(typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body), {
      status,
      headers: { 'x-echo': echo, ...headers },
    })
export const rejectWith =
  (message: string, details: object): Responder =>
  () =>
    Promise.reject(Object.assign(new TypeError(message), details))

/** Responses and network errors that quote every secret in the request. */
export const faults: [string, Responder, ClientOptions?][] = [
  ...[300, 400, 401, 403, 404, 409, 418, 422, 429, 500, 503, 200].map((status): [string, Responder] => [
    `${status} with a token as the errorId`,
    withEnvelope(status, named),
  ]),
  ...[400, 503, 200].flatMap((status): [string, Responder][] => [
    [`${status} with the API key as the errorId`, withEnvelope(status, () => secrets.apiKey)],
    [`${status} with a constant errorId`, withEnvelope(status, () => 'Rejected')],
  ]),
  ['500 in plain text', respondWith(500, echo)],
  [
    'a redirect',
    respondWith(307, '', { location: `https://elsewhere.test/?${encodeURI(echo)}#${secrets.clientToken}` }),
  ],
  ['an HTML page with 200', respondWith(200, `<html>${echo}</html>`)],
  ['an empty body', respondWith(200, '')],
  ['truncated JSON', respondWith(200, `{"id":"${echo}`)],
  ['invalid UTF-8', respondWith(200, new Blob([echo, new Uint8Array([0xff])]))],
  ['a large body', respondWith(200, echo.repeat(10)), { maxResponseBytes: 200 }],
  ['deeply nested JSON', respondWith(200, `${'['.repeat(600)}"${echo}"${']'.repeat(600)}`)],
  [
    'JSON that violates the contract',
    respondWith(200, {
      id: [echo],
      token: { [secrets.card]: echo },
      clientToken: [echo],
      orderId: { a: echo },
      data: echo,
    }),
  ],
  [
    'a broken connection',
    rejectWith(`fetch ${echo} failed`, {
      code: secrets.apiKey,
      cause: Object.assign(new Error(echo), { request: echo }),
    }),
  ],
  ['a response that never arrives', () => new Promise(() => {}), { timeout: 10 }],
  ['an apiKey function that rejects', respondWith(200, payment), { apiKey: () => Promise.reject(new Error(echo)) }],
  [
    'an apiKey function that returns an invalid key',
    respondWith(200, payment),
    { apiKey: () => `${secrets.apiKey}\r\n` },
  ],
  [
    'an idempotency function that rejects',
    respondWith(500, ''),
    { idempotency: () => Promise.reject(new Error(echo)) },
  ],
  [
    'an idempotency function that returns an invalid key',
    respondWith(500, ''),
    { idempotency: () => `${secrets.apiKey}é` },
  ],
]

export function clientWithFault([, respond, options]: (typeof faults)[number], more?: ClientOptions): PaymentsClient {
  return clientWith(respond, { apiKey: secrets.apiKey, maxRetries: 1, ...options, ...more })
}

/** Functions that receive secrets and throw the error classes that `faults` does not cause. */
export const rejections: [string, (client: PaymentsClient) => unknown][] = [
  ['an invalid API key', () => new PaymentsClient({ apiKey: `${secrets.apiKey}\n`, baseUrl: 'https://payments.test' })],
  [
    'an invalid base URL',
    () => new PaymentsClient({ apiKey: 'k', baseUrl: `https://${secrets.apiKey}:${secrets.card}@x.test` }),
  ],
  ['an invalid option', () => new PaymentsClient({ apiKey: 'k', baseUrl: 'https://x.test', apiVersion: `${echo}\n` })],
  ['an API key passed as the options', () => new PaymentsClient(secrets.apiKey as never)],
  ['an invalid amount', ({ payments }) => payments.capture('pay_1', { amount: secrets.card as never })],
  ['an invalid token', ({ payments }) => payments.create({ paymentMethodToken: [secrets.paymentToken] as never })],
  ['invalid metadata', ({ clientSessions }) => clientSessions.create({ metadata: { card: [secrets.card] as never } })],
  ['an invalid parameter', ({ payments }) => payments.list({ limit: secrets.card as never })],
  ['an invalid path segment', ({ paymentInstruments }) => paymentInstruments.delete(`${secrets.paymentToken}\n`)],
  [
    'an invalid path in client.request',
    (client) => client.request({ method: 'GET', path: `/x/../${secrets.paymentToken}` }),
  ],
  [
    'an invalid escape in the path of client.request',
    (client) => client.request({ method: 'GET', path: `/x/%/${secrets.paymentToken}` }),
  ],
  [
    'an invalid method in client.request',
    (client) => client.request({ method: secrets.card as never, path: `/x/${secrets.paymentToken}` }),
  ],
  [
    'an invalid amount in clientSessions.merge',
    ({ clientSessions }) => clientSessions.merge(secrets.clientToken, { amount: secrets.card as never }),
  ],
  ['an invalid header', ({ payments }) => payments.get('pay_1', { headers: { authorization: `${secrets.apiKey}\n` } })],
  [
    'an invalid idempotency key',
    ({ payments }) => payments.cancel('pay_1', {}, { idempotencyKey: `${secrets.card} ` }),
  ],
  ['an invalid datetime', () => toDate(echo)],
  ['an invalid amount for minorUnits', () => minorUnits(echo, 'EUR')],
  ['an aborted call', ({ payments }) => payments.get('pay_1', { signal: AbortSignal.abort(new Error(echo)) })],
  [
    'waitFor on a failed payment',
    () =>
      clientFor({
        id: 'pay_1',
        status: 'FAILED',
        customer: { emailAddress: secrets.address },
        metadata: { echo },
      }).payments.waitFor('pay_1', 'SETTLED'),
  ],
  [
    'a list with a repeated cursor',
    () =>
      clientFor({ data: [{ id: echo }], nextCursor: 'c' })
        .payments.list()
        .toArray({ limit: 9 }),
  ],
  ['an operation that the journal does not send again', () => runAgain()],
  ['a webhook without a signature', () => webhooks.verify(echo, {}, secrets.signingSecret)],
  [
    'a webhook with an invalid signature',
    () => webhooks.verify(echo, { 'x-signature-primary': echo }, secrets.signingSecret),
  ],
  [
    'a webhook with another secret',
    () => webhooks.verify(echo, webhooks.sign(echo, 'another-secret-of-theirs'), secrets.signingSecret),
  ],
  ['a parsed webhook body', () => webhooks.verify({ echo } as never, {}, secrets.signingSecret)],
  [
    'a webhook that is not JSON',
    () => webhooks.verify(echo, webhooks.sign(echo, secrets.signingSecret), secrets.signingSecret),
  ],
  [
    'a webhook that violates its schema',
    () => {
      const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { id: [echo] } })
      return webhooks.verify(body, webhooks.sign(body, secrets.signingSecret), secrets.signingSecret)
    },
  ],
  ['a lost claim', () => Promise.reject(new ClaimLostError('delivery-1'))],
  ['a short signing secret', () => webhooks.verify(echo, {}, secrets.card.slice(0, 8))],
]

export function anyClient(options?: ClientOptions): PaymentsClient {
  return clientOf({ url: 'https://payments.test' }, { apiKey: secrets.apiKey, ...options })
}

function clientFor(body: object): PaymentsClient {
  return clientWith(() => Response.json(body), { apiKey: secrets.apiKey })
}

/** Runs an operation with an unknown outcome. The journal does not send it again, but looks up its effect. */
async function runAgain(): Promise<unknown> {
  const sandbox = createSandbox()
  const journal = createMemoryJournal({ resendFor: 0 })
  const client = new PaymentsClient(sandbox.clientOptions({ journal, maxRetries: 0 }))
  sandbox.faults.add({ operation: 'payments.create', reset: true })
  const metadata = { note: secrets.card }
  const customer = { emailAddress: secrets.address }
  const body = { paymentMethodToken: secrets.paymentToken, orderId: 'order-17', metadata, customer }
  await client.payments.create(body, { idempotencyKey: 'key-1' }).catch(() => {})
  return client.operations.run('key-1')
}
