import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PaymentsClient, type ResponseValidationError } from '../../../src/index.js'
import { apiKey, baseUrl, failureOf } from '../../support/clients.js'
import { type Path, pathsOf, valueAt, without, withValue } from '../../support/response-paths.js'
import { createdSession, createdSessionV21, session, sessionV21 } from '../../support/responses/client-sessions.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from '../../support/responses/loyalty.js'
import { externalPayment } from '../../support/responses/observability.js'
import { deletedCard, savedCards } from '../../support/responses/payment-instruments.js'
import {
  authorizedPayment,
  authorizedPaymentV21,
  declinedPayment,
  paymentsPage,
  pendingPayment,
  refundedPayment,
} from '../../support/responses/payments.js'

/** An example response, a call that receives it, and its required fields. */
interface Kind {
  readonly response: object
  readonly read: (client: PaymentsClient) => PromiseLike<unknown>
  readonly required: readonly string[]
  readonly version?: string
  /** Selects the part of the response body that the call returns. @default the whole body */
  readonly returned?: (response: never) => unknown
}

const getPayment = (client: PaymentsClient) => client.payments.get('pay_1')
const getSession = (client: PaymentsClient) => client.clientSessions.get('client_token_1')
const createSession = (client: PaymentsClient) => client.clientSessions.create({})
const createSessionV21 = (client: PaymentsClient) => client.clientSessions.create({ lineItems: [] } as object)
const listPayments = async (client: PaymentsClient) => {
  const { data, nextCursor, prevCursor } = await client.payments.list()
  return { data, nextCursor, prevCursor }
}

const kinds: Record<string, Kind> = {
  'a payment': { response: authorizedPayment, read: getPayment, required: ['id'] },
  'a payment in version 2.1': { response: authorizedPaymentV21, read: getPayment, required: ['id'], version: '2.1' },
  'a declined payment': { response: declinedPayment, read: getPayment, required: ['id'] },
  'a pending payment': { response: pendingPayment, read: getPayment, required: ['id'] },
  'a refunded payment': { response: refundedPayment, read: getPayment, required: ['id'] },
  'a page of payments': {
    response: paymentsPage,
    read: listPayments,
    returned: ({ data, nextCursor, prevCursor }: typeof paymentsPage) => ({ data, nextCursor, prevCursor }),
    required: ['data', 'data.0.id', 'data.1.id'],
  },
  'a session': { response: session, read: getSession, required: [] },
  'a session in version 2.1': { response: sessionV21, read: getSession, required: [], version: '2.1' },
  'a created session': { response: createdSession, read: createSession, required: ['clientToken'] },
  'a created session in version 2.1': {
    response: createdSessionV21,
    read: createSessionV21,
    required: ['clientToken'],
    version: '2.1',
  },
  'a saved payment method': {
    response: deletedCard,
    read: (client) => client.paymentInstruments.delete('tok_1'),
    required: ['token'],
  },
  'saved payment methods': {
    response: savedCards,
    read: async (client) => ({ data: await client.paymentInstruments.list({ customerId: 'customer-1' }) }),
    returned: ({ data }: typeof savedCards) => ({ data }),
    required: ['data', 'data.0.token', 'data.1.token'],
  },
  'an external payment': {
    response: externalPayment,
    read: (client) => client.observability.payments.update('external-1', {}),
    required: [],
  },
  'a loyalty transaction': {
    response: loyaltyTransaction,
    read: (client) =>
      client.loyalty.transactions.create({ connectionId: 'c', customerId: 'm', orderId: 'o', value: 1 }),
    required: [],
  },
  'a page of loyalty transactions': {
    response: loyaltyTransactionsPage,
    read: async (client) => {
      const { data, total } = await client.loyalty.transactions.list()
      return { items: data, total }
    },
    returned: ({ items, total }: typeof loyaltyTransactionsPage) => ({ items, total }),
    required: ['items'],
  },
  'a loyalty customer': {
    response: loyaltyCustomer,
    read: (client) => client.loyalty.customers.get('member-1', { connectionId: 'connection-1' }),
    required: [],
  },
}

async function result({ read, version }: Kind, response: object): Promise<unknown> {
  const fetch = async () => Response.json(response)
  return read(new PaymentsClient({ apiKey, baseUrl, fetch, maxRetries: 0, apiVersion: version as '2021-09-27' }))
}

/** Returns the paths of the response fields that the client rejects. */
async function invalidPaths(kind: Kind, response: object): Promise<readonly Path[]> {
  const error = await failureOf(result(kind, response))
  expect(error).toMatchObject({ name: 'ResponseValidationError', outcome: 'accepted', attempts: [{ number: 1 }] })
  expect(Object.keys(error)).not.toContain('data')
  return (error as ResponseValidationError).issues.map(({ path }) => path)
}

const returned = (kind: Kind, response: object) => (kind.returned ?? ((all) => all))(response as never)

/** Returns values of the wrong type for the field. */
function wrongValuesFor(value: unknown, path: Path): unknown[] {
  if (path.join() === 'warnings') return ['text', 5]
  if (typeof value === 'string') return [5]
  if (Number.isInteger(value)) return ['5', 1.5, 2 ** 53, []]
  if (typeof value === 'number') return ['1.5', {}]
  if (typeof value === 'boolean') return [0, 'yes']
  return Array.isArray(value) ? [{}, 'text'] : [[], 'text']
}

const isRequired = ({ required }: Kind, path: Path) => required.includes(path.join('.'))

/** Changes that a later version of the service may make to the field at a path. */
const changes: readonly ((response: object, path: Path) => object)[] = [
  without,
  (response, path) => withValue(response, path, null),
  (response, path) => withValue(response, [...path.slice(0, -1), 'aFieldFromTheFuture'], { nested: [1, 'two'] }),
]

const withoutNulls = (value: unknown) => JSON.parse(JSON.stringify(value), (_, inner) => inner ?? undefined)

describe.each(Object.entries(kinds))('%s', (_name, kind) => {
  const paths = pathsOf(kind.response)

  it('rejects a response without a required field', async () => {
    for (const path of paths.filter((at) => isRequired(kind, at))) {
      expect(await invalidPaths(kind, without(kind.response, path))).toEqual([path])
      expect(await invalidPaths(kind, withValue(kind.response, path, null))).toEqual([path])
    }
  })

  it('omits optional fields that are null', async () => {
    for (const path of paths.filter((at) => !isRequired(kind, at) && typeof at.at(-1) === 'string')) {
      const expected = returned(kind, without(kind.response, path))
      expect(await result(kind, without(kind.response, path)), path.join('.')).toStrictEqual(expected)
      expect(await result(kind, withValue(kind.response, path, null)), path.join('.')).toStrictEqual(expected)
    }
  })

  it('accepts any combination of null, unknown and missing fields', async () => {
    const optional = paths.filter((at) => !isRequired(kind, at) && typeof at.at(-1) === 'string')
    const change = fc.tuple(fc.constantFrom(...optional), fc.constantFrom(...changes))

    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (chosen) => {
        const response = chosen.reduce(
          // Skips a change if an earlier change has removed its field.
          (before, [path, apply]) => (valueAt(before, path) === undefined ? before : apply(before, path)),
          kind.response,
        )

        expect(await result(kind, response)).toEqual(withoutNulls(returned(kind, response)))
      }),
      { numRuns: Number(process.env['RUNS'] ?? 25) },
    )
  })

  it('rejects a field of the wrong type, and reports its path', async () => {
    for (const path of paths) {
      for (const value of wrongValuesFor(valueAt(kind.response, path), path)) {
        const invalid = await invalidPaths(kind, withValue(kind.response, path, value))
        expect(invalid, `${path.join('.')} = ${JSON.stringify(value)}`).toEqual([path])
      }
    }
  })
})
