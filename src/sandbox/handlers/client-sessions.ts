import type * as operations from '../../contract/index.js'
import type { ClientSession } from '../../schemas/client-session.js'
import { amountOf } from '../domain/amounts.js'
import { withoutNulls } from '../domain/merge.js'
import { presented, presentedWithToken } from '../domain/sessions.js'
import { fromShape, toShape } from '../service/versions.js'
import type { Handlers } from './handler.js'

export const clientSessions: Handlers<typeof operations.clientSessions> = {
  create({ body, shape, happened }, { sessions }) {
    amountOf(body)
    const record = sessions.create(body)
    happened(record.clientToken)
    return presentedWithToken(record, shape)
  },

  get({ query, shape }, { sessions }) {
    return presented(sessions.get(query.clientToken), shape)
  },

  update({ written, shape, happened }, { sessions, settings }) {
    const { clientToken, ...changes } = written as { clientToken: string }
    const record = sessions.get(clientToken)
    const before = toShape(shape, record.session)
    const after = fromShape(shape, changed(before, changes, settings.sessionUpdate))
    amountOf(after)
    happened(clientToken)
    return presented(sessions.change(record, after), shape)
  },
}

/** The fields that can be updated one by one. Specification: PATCH rules 3 and 5, which can be read either way. */
const mergeable = ['customer', 'order', 'orderDetails']

function changed(before: ClientSession, changes: object, update: 'merge' | 'replace'): ClientSession {
  const after: Record<string, unknown> = { ...before }
  for (const [field, value] of Object.entries(changes)) {
    const merges = update === 'merge' && mergeable.includes(field) && value !== null
    after[field] = withoutNulls(merges ? { ...(after[field] as object | undefined), ...value } : (value ?? undefined))
  }
  // The options cannot be updated, so they outlive a change of the object that they are in.
  const options = before.paymentMethod?.options
  if (options) after['paymentMethod'] = { ...(after['paymentMethod'] as object | undefined), options }
  return after
}
