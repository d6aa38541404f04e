import fc from 'fast-check'
import type { PaymentsClient } from 'payments-client'
import { expect, it } from 'vitest'
import { anyCharacter } from '../../support/characters.js'
import { describeWithEachAdapter } from '../../support/clients.js'
import { respondWith, startScriptedServer } from '../../support/scripted-server.js'

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
    path: ['payments', named, 'capture'],
    query: [],
    isPossible: isSegment(named),
    call: payments.capture(named),
  }),
  ({ loyalty }, named, queried) => ({
    path: ['loyalty-customers', named],
    query: [['connectionId', queried]],
    isPossible: isSegment(named) && isIdentifier(queried),
    call: loyalty.customers.get(named, { connectionId: queried }),
  }),
  ({ paymentInstruments }, _, queried) => ({
    path: ['payment-instruments'],
    query: [['customer_id', queried]],
    isPossible: isIdentifier(queried),
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

const basePaths = ['', '/a%20b/%2e-/v1//', '/..%2F/']

const words = ['..', '%2e', '%2F', '%5c', '/', '\\', '?', '#', '@', ':', '//', ';', '%', '&', '+', '\u0000', '\ud83d']
const anyText = fc.oneof(
  fc.constantFrom('', '.', '..'),
  fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: anyCharacter, maxLength: 4 })), { maxLength: 8 })
    .map((parts) => parts.join('')),
)

describeWithEachAdapter('a client', (clientOf) => {
  it('rejects a path parameter, or encodes it so that the service decodes it', async () => {
    const input = [fc.constantFrom(...requests), fc.constantFrom(...basePaths), anyText, anyText] as const

    await fc.assert(
      fc.asyncProperty(...input, async (ask, basePath, named, queried) => {
        // A server that keeps the requests of all runs would need too much memory.
        const server = await startScriptedServer([respondWith({})])
        const client = clientOf({ url: server.url + basePath }, { responseValidation: 'off' })

        const { path, query, isPossible, call } = ask(client, named, queried)
        const error = await call.then(
          () => undefined,
          (reason: unknown) => reason,
        )
        await server.close()

        if (!isPossible) expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
        const prefix = basePath.replace(/\/+$/, '').split('/').map(decodeURIComponent)
        const sent = server.requests.map((request) => parts(request.path))
        expect(sent).toEqual(isPossible ? [{ path: [...prefix, ...path], query }] : [])
      }),
    )
  })
})

/** Returns the decoded segments, names and values of a path with a query. */
function parts(sent: string) {
  const [path = '', ...queries] = sent.split('?')
  const pairs = queries.flatMap((query) => query.split('&'))
  return {
    path: path.split('/').map(decodeURIComponent),
    query: pairs.map((pair) => pair.split('=').map(decodeURIComponent)),
  }
}

function isSegment(text: string): boolean {
  const hasControls = [...text].some((letter) => letter < ' ' || letter === '\u007f')
  return isIdentifier(text) && text !== '.' && text !== '..' && text.length <= 1024 && !hasControls
}

function isIdentifier(text: string): boolean {
  return text !== '' && text.isWellFormed()
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
