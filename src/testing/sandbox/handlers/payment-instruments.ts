import type * as operations from '../../../core/contract/index.js'
import type { Handlers } from '../domain/context.js'
import { ServiceError } from '../internal/exchange.js'
import { scenarios } from '../internal/scenarios.js'

export const paymentInstruments: Handlers<typeof operations.paymentInstruments> = {
  vault({ params, body, recordEffect }, { vault }) {
    const source = vault.find(params.paymentMethodToken)
    if (!source) throw new ServiceError(404, 'PaymentMethodTokenNotFound', 'There is no payment method with this token')
    const saved = vault.savedAs(source, body.customerId)
    if (saved) return saved
    if (source.isVaulted) {
      const description = 'The payment method is saved for another customer'
      throw new ServiceError(409, 'PaymentMethodTokenVaulted', description)
    }
    if (body.verify && !scenarios[source.scenario].passesVerification) {
      const description = 'The verification of the payment method failed, so it was not saved'
      throw new ServiceError(422, 'VerificationFailed', description)
    }
    vault.use(source)
    const instrument = vault.save(source, body.customerId, body.verify === true)
    recordEffect(instrument.token)
    return instrument
  },

  setDefault({ params, recordEffect }, { vault }) {
    const before = vault.get(params.paymentMethodToken)
    if (before.default) return before
    const instrument = vault.setDefault(before.token)
    recordEffect(instrument.token)
    return instrument
  },

  list({ query }, { vault }) {
    return { data: vault.list(query.customerId) }
  },

  delete({ params, recordEffect }, { vault }) {
    const before = vault.get(params.paymentMethodToken)
    if (before.deleted) return before
    recordEffect(before.token)
    return vault.delete(before.token)
  },
}
