import type * as operations from '../../contract/index.js'
import { scenarios } from '../domain/scenarios.js'
import { Refusal } from '../refusal.js'
import type { Handlers } from './handler.js'

export const paymentInstruments: Handlers<typeof operations.paymentInstruments> = {
  vault({ params, body, happened }, { vault }) {
    const source = vault.find(params.paymentMethodToken)
    if (!source) throw new Refusal(404, 'PaymentMethodTokenNotFound', 'There is no payment method with this token')
    const saved = vault.savedAs(source, body.customerId)
    if (saved) return saved
    if (source.isVaulted) {
      throw new Refusal(409, 'PaymentMethodTokenVaulted', 'The payment method is saved for another customer')
    }
    if (body.verify && !scenarios[source.scenario].passesVerification) {
      throw new Refusal(422, 'VerificationFailed', 'The payment method could not be verified, so it was not saved')
    }
    vault.use(source)
    const instrument = vault.save(source, body.customerId, body.verify === true)
    happened(instrument.token)
    return instrument
  },

  setDefault({ params, happened }, { vault }) {
    const before = vault.get(params.paymentMethodToken)
    if (before.default) return before
    const instrument = vault.setDefault(before.token)
    happened(instrument.token)
    return instrument
  },

  list({ query }, { vault }) {
    return { data: vault.list(query.customerId) }
  },

  delete({ params, happened }, { vault }) {
    const before = vault.get(params.paymentMethodToken)
    if (before.deleted) return before
    happened(before.token)
    return vault.delete(before.token)
  },
}
