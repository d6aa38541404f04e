import type * as operations from '../../contract/index.js'
import { clientSessions } from './client-sessions.js'
import type { Handlers } from './handler.js'
import { loyalty } from './loyalty.js'
import { observability } from './observability.js'
import { paymentInstruments } from './payment-instruments.js'
import { payments } from './payments.js'

export const handlers: Handlers<typeof operations> = {
  clientSessions,
  loyalty,
  observability,
  paymentInstruments,
  payments,
}
