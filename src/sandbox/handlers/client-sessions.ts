import type * as operations from '../../contract/index.js'
import type { ClientSession } from '../../schemas/client-session.js'
import type { Handlers } from '../domain/context.js'
import { amountOf, fromShape, toShape, withoutNulls } from '../domain/fields.js'
import { formatCreatedSession, formatSession } from '../domain/sessions.js'

export const clientSessions: Handlers<typeof operations.clientSessions> = {
  create({ body, shape, recordEffect }, { sessions }) {
    amountOf(body)
    const record = sessions.create(body)
    recordEffect(record.clientToken)
    return formatCreatedSession(record, shape)
  },

  get({ query, shape }, { sessions }) {
    return formatSession(sessions.get(query.clientToken), shape)
  },

  update({ originalBody, shape, recordEffect }, { sessions, settings }) {
    const { clientToken, ...changes } = originalBody as { clientToken: string }
    const record = sessions.get(clientToken)
    const before = toShape(shape, record.session)
    const after = fromShape(shape, applyChanges(before, changes, settings.sessionUpdate))
    amountOf(after)
    recordEffect(clientToken)
    return formatSession(sessions.change(record, after), shape)
  },
}

/**
 * The fields that `sessionUpdate: 'merge'` merges. The specification also allows replacing them (PATCH rules 3 and 5).
 */
const mergeable = ['customer', 'order', 'orderDetails']

function applyChanges(before: ClientSession, changes: object, update: 'merge' | 'replace'): ClientSession {
  const after: Record<string, unknown> = { ...before }
  for (const [field, value] of Object.entries(changes)) {
    const merges = update === 'merge' && mergeable.includes(field) && value !== null
    after[field] = withoutNulls(merges ? { ...(after[field] as object | undefined), ...value } : (value ?? undefined))
  }
  // Keeps the options of `paymentMethod`, which an update cannot change.
  const options = before.paymentMethod?.options
  if (options) after['paymentMethod'] = { ...(after['paymentMethod'] as object | undefined), options }
  return after
}
