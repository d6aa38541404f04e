import type { Cart } from '../../../core/contract/version.js'
import type { ClientSession, CreatedClientSession } from '../../../core/schemas/client-session.js'
import { milliseconds, type VirtualClock, zoneless } from '../internal/clock.js'
import { ServiceError } from '../internal/exchange.js'
import type { Random } from '../internal/random.js'
import type { Rows } from '../store/records.js'
import type { Table } from '../store/store.js'
import { amountOf, withoutEmpty } from './fields.js'

type SessionRecord = Rows['sessions']

/** Lifetime of a client token. Specification: Limits. */
const lifetimeMs = milliseconds('24h')

export class Sessions {
  constructor(
    private readonly table: Table<SessionRecord>,
    private readonly clock: VirtualClock,
    private readonly random: Random,
  ) {}

  create(session: ClientSession): SessionRecord {
    const expiresAt = this.clock.now().getTime() + lifetimeMs
    const clientToken = this.random.id('client')
    return this.table.set(clientToken, { clientToken, expiresAt, session })
  }

  get(clientToken: string): SessionRecord {
    const record = this.table.get(clientToken)
    if (!record) throw new ServiceError(404, 'ClientSessionNotFound', 'There is no client session with this token')
    if (this.clock.now().getTime() < record.expiresAt) return record
    throw new ServiceError(404, 'ClientTokenExpired', 'The client token has expired after 24 hours')
  }

  /** Returns the fields of a session, even after its token has expired. */
  valuesOf(clientToken: string | undefined): ClientSession {
    return (clientToken !== undefined && this.table.get(clientToken)?.session) || {}
  }

  change(record: SessionRecord, session: ClientSession): SessionRecord {
    return this.table.set(record.clientToken, { ...record, session })
  }
}

/** For each cart format: whether client sessions with this format contain the field `amount`. */
const hasAmount: { readonly [Name in Cart]: boolean } = { order: true, lineItems: false }

export function formatSession({ session }: SessionRecord, cart: Cart): ClientSession {
  const { amount: _, metadata, ...rest } = session
  const amount = hasAmount[cart] ? amountOf(session) : undefined
  return {
    ...withoutEmpty(rest),
    amount,
    ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** Formats a new session for a response, with its token. Warns if fields that a payment requires are missing. */
export function formatCreatedSession(record: SessionRecord, cart: Cart): CreatedClientSession {
  const { currencyCode, orderId } = record.session
  const missing = [
    ...(currencyCode ? [] : ['CURRENCY_CODE']),
    ...(orderId ? [] : ['ORDER_ID']),
    ...(amountOf(record.session) === undefined ? ['AMOUNT'] : []),
  ]
  return {
    clientToken: record.clientToken,
    clientTokenExpirationDate: zoneless(new Date(record.expiresAt)),
    ...formatSession(record, cart),
    ...(missing.length > 0 && {
      warnings: {
        type: 'MISSING_INFORMATION',
        code: `MISSING_${missing[0]}`,
        message: `Required before the payment: ${missing.join(', ')}`,
      },
    }),
  }
}
