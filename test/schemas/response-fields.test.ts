import { describe, expect, it, vi } from 'vitest'
import { type PaymentsClient, ResponseValidationError } from '../../src/index.js'
import { aClient } from '../support/recording-fetch.js'
import { type Path, pathsOf, valueAt, without, withValue } from '../support/response-paths.js'
import { createdSession, createdSessionV21, session, sessionV21 } from '../support/responses/client-sessions.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from '../support/responses/loyalty.js'
import { externalPayment } from '../support/responses/observability.js'
import { deletedCard, savedCards } from '../support/responses/payment-instruments.js'
import {
  authorizedPayment,
  authorizedPaymentV21,
  declinedPayment,
  paymentsPage,
  pendingPayment,
  refundedPayment,
} from '../support/responses/payments.js'

// A test here makes hundreds of calls, one for every field.
vi.setConfig({ testTimeout: 30_000 })

/** An answer, a call that gets it, and what cannot be left out of it. */
interface Kind {
  readonly answer: object
  readonly read: (client: PaymentsClient) => PromiseLike<unknown>
  readonly required: readonly string[]
  readonly version?: string
  /** What the caller gets of the answer, where it is not all of it. */
  readonly shown?: (answer: never) => unknown
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
  'a payment': { answer: authorizedPayment, read: getPayment, required: ['id'] },
  'a payment of 2.1': { answer: authorizedPaymentV21, read: getPayment, required: ['id'], version: '2.1' },
  'a declined payment': { answer: declinedPayment, read: getPayment, required: ['id'] },
  'a pending payment': { answer: pendingPayment, read: getPayment, required: ['id'] },
  'a refunded payment': { answer: refundedPayment, read: getPayment, required: ['id'] },
  'a page of payments': {
    answer: paymentsPage,
    read: listPayments,
    shown: ({ data, nextCursor, prevCursor }: typeof paymentsPage) => ({ data, nextCursor, prevCursor }),
    required: ['data', 'data.0.id', 'data.1.id'],
  },
  'a session': { answer: session, read: getSession, required: [] },
  'a session of 2.1': { answer: sessionV21, read: getSession, required: [], version: '2.1' },
  'a created session': { answer: createdSession, read: createSession, required: ['clientToken'] },
  'a created session of 2.1': {
    answer: createdSessionV21,
    read: createSessionV21,
    required: ['clientToken'],
    version: '2.1',
  },
  'a saved payment method': {
    answer: deletedCard,
    read: (client) => client.paymentInstruments.delete('tok_1'),
    required: ['token'],
  },
  'saved payment methods': {
    answer: savedCards,
    read: async (client) => ({ data: await client.paymentInstruments.list({ customerId: 'customer-1' }) }),
    shown: ({ data }: typeof savedCards) => ({ data }),
    required: ['data', 'data.0.token', 'data.1.token'],
  },
  'an external payment': {
    answer: externalPayment,
    read: (client) => client.observability.payments.update('external-1', {}),
    required: [],
  },
  'a loyalty transaction': {
    answer: loyaltyTransaction,
    read: (client) =>
      client.loyalty.transactions.create({ connectionId: 'c', customerId: 'm', orderId: 'o', value: 1 }),
    required: [],
  },
  'a page of loyalty transactions': {
    answer: loyaltyTransactionsPage,
    read: async (client) => {
      const { data, total } = await client.loyalty.transactions.list()
      return { items: data, total }
    },
    shown: ({ items, total }: typeof loyaltyTransactionsPage) => ({ items, total }),
    required: ['items'],
  },
  'a loyalty customer': {
    answer: loyaltyCustomer,
    read: (client) => client.loyalty.customers.get('member-1', { connectionId: 'connection-1' }),
    required: [],
  },
}

async function reading({ read, version }: Kind, answer: object): Promise<unknown> {
  const { client } = aClient([answer], { apiVersion: version as '2021-09-27' })
  return read(client)
}

/** The paths at which an answer was refused. */
async function refusedAt(kind: Kind, answer: object): Promise<readonly Path[]> {
  const error = await reading(kind, answer).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ResponseValidationError)) return []
  expect(error.outcome).toBe('accepted')
  return error.issues.map(({ path }) => path)
}

const shown = (kind: Kind, answer: object) => (kind.shown ?? ((all) => all))(answer as never)

/** Warnings may be one or a list, so what is wrong inside is wrong with neither in particular. */
/** Values that the field does not take, whatever its enumeration may become. */
function wrongValuesFor(value: unknown, path: Path): unknown[] {
  if (path.join() === 'warnings') return ['text', 5]
  if (typeof value === 'string') return [5, true, {}, []]
  if (Number.isInteger(value)) return ['5', 1.5, 2 ** 53, true, {}, []]
  if (typeof value === 'number') return ['1.5', true, {}, []]
  if (typeof value === 'boolean') return [0, 'yes', {}, []]
  return Array.isArray(value) ? [{}, 'text', 5] : [[], 'text', 5]
}

const isRow = (path: Path) => typeof path.at(-1) === 'number'
const isRequired = ({ required }: Kind, path: Path) => required.includes(path.join('.'))
describe.each(Object.entries(kinds))('%s', (_name, kind) => {
  const paths = pathsOf(kind.answer)
  const optional = paths.filter((path) => !isRequired(kind, path) && !isRow(path))

  it('reads as it came', async () => {
    const result = await reading(kind, kind.answer)

    expect(result).toEqual(shown(kind, kind.answer))
  })

  it('may lack any field that is not required', async () => {
    for (const path of optional) {
      const answer = without(kind.answer, path)
      const result = await reading(kind, answer)
      expect(result, path.join('.')).toEqual(shown(kind, answer))
    }
  })

  it('may have null in place of any field that is not required, which reads as undefined', async () => {
    for (const path of optional) {
      const answer = withValue(kind.answer, path, null)
      const result = await reading(kind, answer)
      expect(result, path.join('.')).toEqual(shown(kind, without(kind.answer, path)))
    }
  })

  it('may have further fields in any object, which stay', async () => {
    for (const path of [[], ...paths.filter((at) => isObject(valueAt(kind.answer, at)))]) {
      const answer = withValue(kind.answer, [...path, 'somethingNew'], { deep: [null, 1] })
      const result = await reading(kind, answer)
      expect(result, path.join('.')).toEqual(shown(kind, answer))
    }
  })

  it('must have what is required', async () => {
    for (const path of paths.filter((at) => isRequired(kind, at))) {
      expect(await refusedAt(kind, without(kind.answer, path))).toEqual([path])
      expect(await refusedAt(kind, withValue(kind.answer, path, null))).toEqual([path])
    }
  })

  it('must have the right type in every field, and the error says where', async () => {
    for (const path of paths) {
      for (const value of wrongValuesFor(valueAt(kind.answer, path), path)) {
        const places = await refusedAt(kind, withValue(kind.answer, path, value))
        expect(places, `${path.join('.')} = ${JSON.stringify(value)}`).toEqual([path])
      }
    }
  })
})

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
