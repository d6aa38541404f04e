import type * as operations from '../../../core/contract/index.js'
import type { ClientSession } from '../../../core/schemas/client-session.js'
import type { Handlers } from '../domain/context.js'
import { amountOf, fromOrder, toOrder, withoutNulls } from '../domain/fields.js'
import { formatCreatedSession, formatSession } from '../domain/sessions.js'

export const clientSessions: Handlers<typeof operations.clientSessions> = {
  create({ body, cart, recordEffect }, { sessions }) {
    const session = body as ClientSession
    // Called for its check: throws if the order has a negative total.
    amountOf(session)
    const record = sessions.create(session)
    recordEffect(record.clientToken)
    return formatCreatedSession(record, cart)
  },

  get({ query, cart }, { sessions }) {
    return formatSession(sessions.get(query.clientToken), cart)
  },

  update({ originalBody, cart, recordEffect }, { sessions, settings }) {
    const { clientToken, ...changes } = originalBody as { clientToken: string }
    const record = sessions.get(clientToken)
    const before = fromOrder(cart, record.session)
    const after = toOrder(cart, applyChanges(before, changes, settings.sessionUpdate))
    // Called for its check: throws if the order has a negative total.
    amountOf(after)
    recordEffect(clientToken)
    return formatSession(sessions.change(record, after), cart)
  },
}

/** The fields that `sessionUpdate: 'merge'` merges. The specification also allows replacement (PATCH rules 3 and 5). */
const mergeable = ['customer', 'order', 'orderDetails']

function applyChanges(before: ClientSession, changes: object, update: 'merge' | 'replace'): ClientSession {
  const after: Record<string, unknown> = { ...before }
  for (const [field, value] of Object.entries(changes)) {
    const merges = update === 'merge' && mergeable.includes(field) && value !== null
    after[field] = withoutNulls(merges ? { ...(after[field] as object | undefined), ...value } : (value ?? undefined))
  }
  // An update cannot change `paymentMethod.options`, so the previous options remain.
  const options = before.paymentMethod?.options
  if (options) after['paymentMethod'] = { ...(after['paymentMethod'] as object | undefined), options }
  return after
}
