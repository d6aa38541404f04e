import type { Shape } from '../../contract/version.js'
import type { ClientSession, CreatedClientSession } from '../../schemas/client-session.js'
import type { VirtualClock } from '../clock.js'
import type { Random } from '../random.js'
import { Refusal } from '../refusal.js'
import type { SessionRecord } from '../store/records.js'
import type { Table } from '../store/table.js'
import { zoneless } from '../times.js'
import { amountOf } from './amounts.js'
import { withoutEmpty } from './merge.js'

/** How long a client token lives. Specification: Limits. */
const lifetimeMs = 24 * 3_600_000

/** The client sessions. */
export class Sessions {
  readonly #table: Table<SessionRecord>
  readonly #clock: VirtualClock
  readonly #random: Random

  constructor(table: Table<SessionRecord>, clock: VirtualClock, random: Random) {
    this.#table = table
    this.#clock = clock
    this.#random = random
  }

  create(session: ClientSession): SessionRecord {
    const record = {
      clientToken: this.#random.id('client'),
      expiresAt: this.#clock.now().getTime() + lifetimeMs,
      session,
    }
    this.#table.set(record.clientToken, record)
    return record
  }

  /** A session whose token is alive. */
  get(clientToken: string): SessionRecord {
    const record = this.#table.get(clientToken)
    if (!record) throw new Refusal(404, 'ClientSessionNotFound', 'There is no client session with this token')
    if (this.#clock.now().getTime() < record.expiresAt) return record
    throw new Refusal(404, 'ClientTokenExpired', 'The client token has expired: it lives for 24 hours')
  }

  /** What a session says, whether or not its token is still alive. */
  valuesOf(clientToken: string | undefined): ClientSession {
    return (clientToken !== undefined && this.#table.get(clientToken)?.session) || {}
  }

  change(record: SessionRecord, session: ClientSession): SessionRecord {
    const changed = { ...record, session }
    this.#table.set(record.clientToken, changed)
    return changed
  }
}

/** A session as a version shows it: without what is empty, and with the amount it comes to. */
export function presented({ session }: SessionRecord, shape: Shape): ClientSession {
  const { amount: _, metadata, ...rest } = session
  const amount = shape === '2.1' ? undefined : amountOf(session)
  return {
    ...withoutEmpty(rest),
    amount,
    ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
  }
}

/** A session just created: with its token, and a warning if something is missing for a payment. */
export function presentedWithToken(record: SessionRecord, shape: Shape): CreatedClientSession {
  const missing = missingFacts(record.session)
  return {
    clientToken: record.clientToken,
    clientTokenExpirationDate: zoneless(new Date(record.expiresAt)),
    ...presented(record, shape),
    ...(missing.length > 0 && {
      warnings: {
        type: 'MISSING_INFORMATION',
        code: `MISSING_${missing[0]}`,
        message: `Expected before the payment: ${missing.join(', ')}`,
      },
    }),
  }
}

function missingFacts(session: ClientSession): string[] {
  return [
    ...(session.currencyCode ? [] : ['CURRENCY_CODE']),
    ...(session.orderId ? [] : ['ORDER_ID']),
    ...(amountOf(session) === undefined ? ['AMOUNT'] : []),
  ]
}
