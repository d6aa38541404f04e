import { format, inspect } from 'node:util'
import { ClaimLostError, type ClientOptions, minorUnits, PaymentsClient, toDate, webhooks } from 'payments-client'
import { expect } from 'vitest'
import { clientOf, clientWith, payment } from '../../support/clients.js'

/** What must never be seen where people look. */
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

/** Everything that shows of a value, however it is printed. */
export function printed(value: unknown): string {
  // `ConnectionError.cause` is a getter: programs can read it, printers do not.
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

export function expectNoSecretIn(text: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    const at = text.indexOf(secret)
    if (at >= 0) expect.fail(`It shows the ${name}: …${text.slice(Math.max(0, at - 80), at + 40)}…`)
  }
}

/** Calls that carry secrets, in every place where there can be one. */
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

/** Answers a request with what it said, in every place where there can be something. */
type Responder = (request: Request) => Response | Promise<Response>

async function heard(request: Request): Promise<string> {
  const { url, headers } = request
  return [decodeURIComponent(url), ...headers.values(), await request.text(), secrets.card, secrets.address].join(' ')
}

/** An error envelope that repeats what was heard, and one of its words as a name. */
function envelope(said: string, name: string): object {
  const errors = [{ path: said, description: said }]
  return {
    error: {
      errorId: name,
      description: `Sent was ${said}`,
      diagnosticsId: name,
      recoverySuggestion: said,
      validationErrors: [{ model: said, errors }],
      paymentId: name,
      paymentStatus: said,
    },
  }
}

/** The secret that a request carries, and its key where it carries no other. */
const named = (said: string) =>
  [secrets.paymentToken, secrets.clientToken, secrets.resumeToken, secrets.apiKey].find((secret) =>
    said.includes(secret),
  ) ?? 'x'

const withEnvelope =
  (status: number, name: (said: string) => string): Responder =>
  async (request) => {
    const said = await heard(request)
    return Response.json(envelope(said, name(said)), { status, headers: { 'x-echo': encodeURI(said) } })
  }
export const tellAll =
  (status: number, body: string | Blob | object, headers: Record<string, string> = {}): Responder =>
  () =>
    new Response(typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body), {
      status,
      headers: { 'x-echo': echo, ...headers },
    })
export const refuse =
  (message: string, details: object): Responder =>
  () =>
    Promise.reject(Object.assign(new TypeError(message), details))

/** Ways in which a service, or the way to it, fails and tells everything it knows. */
export const faults: [string, Responder, ClientOptions?][] = [
  ...[300, 400, 401, 403, 404, 409, 418, 422, 429, 500, 503, 200].flatMap((status): [string, Responder][] => [
    [`${status} with an error named after a secret`, withEnvelope(status, named)],
    [`${status} with an error named after the key`, withEnvelope(status, () => secrets.apiKey)],
    [`${status} with an error that has a name of its own`, withEnvelope(status, () => 'Refused')],
  ]),
  ['500 in plain text', tellAll(500, echo)],
  ['a redirect', tellAll(307, '', { location: `https://elsewhere.test/?${encodeURI(echo)}#${secrets.clientToken}` })],
  ['a page with 200', tellAll(200, `<html>${echo}</html>`)],
  ['nothing', tellAll(200, '')],
  ['JSON that ends early', tellAll(200, `{"id":"${echo}`)],
  ['no UTF-8', tellAll(200, new Blob([echo, new Uint8Array([0xff])]))],
  ['too much', tellAll(200, echo.repeat(10)), { maxResponseBytes: 200 }],
  ['too deep', tellAll(200, `${'['.repeat(600)}"${echo}"${']'.repeat(600)}`)],
  [
    'JSON off the contract',
    tellAll(200, {
      id: [echo],
      token: { [secrets.card]: echo },
      clientToken: [echo],
      orderId: { a: echo },
      data: echo,
    }),
  ],
  [
    'a broken connection',
    refuse(`fetch ${echo} failed`, { code: secrets.apiKey, cause: Object.assign(new Error(echo), { request: echo }) }),
  ],
  ['silence', () => new Promise(() => {}), { timeout: 10 }],
  ['no key', tellAll(200, payment), { apiKey: () => Promise.reject(new Error(echo)) }],
  ['a key that is none', tellAll(200, payment), { apiKey: () => `${secrets.apiKey}\r\n` }],
  ['no idempotency key', tellAll(500, ''), { idempotency: () => Promise.reject(new Error(echo)) }],
  ['a bad idempotency key', tellAll(500, ''), { idempotency: () => `${secrets.apiKey}é` }],
]

export function clientMeeting([, respond, options]: (typeof faults)[number], more?: ClientOptions): PaymentsClient {
  return clientWith(respond, { apiKey: secrets.apiKey, maxRetries: 1, ...options, ...more })
}

/** Errors of all the other kinds, each made by something that knows secrets. */
export const refusals: [string, () => unknown][] = [
  ['a bad key', () => new PaymentsClient({ apiKey: `${secrets.apiKey}\n`, baseUrl: 'https://payments.test' })],
  [
    'a bad base URL',
    () => new PaymentsClient({ apiKey: 'k', baseUrl: `https://${secrets.apiKey}:${secrets.card}@x.test` }),
  ],
  ['a bad option', () => new PaymentsClient({ apiKey: 'k', baseUrl: 'https://x.test', apiVersion: `${echo}\n` })],
  ['options that are a key', () => new PaymentsClient(secrets.apiKey as never)],
  ['a bad amount', () => anyClient().payments.capture('pay_1', { amount: secrets.card as never })],
  ['a bad token', () => anyClient().payments.create({ paymentMethodToken: [secrets.paymentToken] as never })],
  ['bad metadata', () => anyClient().clientSessions.create({ metadata: { card: [secrets.card] as never } })],
  ['a bad parameter', () => anyClient().payments.list({ limit: secrets.card as never })],
  ['a bad path', () => anyClient().paymentInstruments.delete(`${secrets.paymentToken}\n`)],
  ['a bad path of one’s own', () => anyClient().request({ method: 'GET', path: `/x/../${secrets.paymentToken}` })],
  ['a bad header', () => anyClient().payments.get('pay_1', { headers: { authorization: `${secrets.apiKey}\n` } })],
  ['a bad idempotency key', () => anyClient().payments.cancel('pay_1', {}, { idempotencyKey: `${secrets.card} ` })],
  ['a bad datetime', () => toDate(echo)],
  ['a bad amount of money', () => minorUnits(echo, 'EUR')],
  ['an aborted call', () => anyClient().payments.get('pay_1', { signal: AbortSignal.abort(new Error(echo)) })],
  [
    'a wait in vain',
    () =>
      answered({
        id: 'pay_1',
        status: 'FAILED',
        customer: { emailAddress: secrets.address },
        metadata: { echo },
      }).payments.waitFor('pay_1', 'SETTLED'),
  ],
  [
    'a list that repeats itself',
    () =>
      answered({ data: [{ id: echo }], nextCursor: 'c' })
        .payments.list()
        .toArray({ limit: 9 }),
  ],
  ['a webhook without a signature', () => webhooks.verify(echo, {}, secrets.signingSecret)],
  [
    'a webhook with a bad signature',
    () => webhooks.verify(echo, { 'x-signature-primary': echo }, secrets.signingSecret),
  ],
  [
    'a webhook of somebody else',
    () => webhooks.verify(echo, webhooks.sign(echo, 'another-secret-of-theirs'), secrets.signingSecret),
  ],
  ['a webhook that is parsed', () => webhooks.verify({ echo } as never, {}, secrets.signingSecret)],
  [
    'a webhook that is no JSON',
    () => webhooks.verify(echo, webhooks.sign(echo, secrets.signingSecret), secrets.signingSecret),
  ],
  [
    'a webhook that breaks its schema',
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

function answered(body: object): PaymentsClient {
  return clientWith(() => Response.json(body), { apiKey: secrets.apiKey })
}
