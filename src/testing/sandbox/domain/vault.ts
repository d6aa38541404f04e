import type { PaymentInstrument } from '../../../core/schemas/payment-instrument.js'
import { type VirtualClock, zoneless } from '../internal/clock.js'
import { ServiceError } from '../internal/exchange.js'
import type { Random } from '../internal/random.js'
import { type ScenarioName, scenarioNames, scenarios, tokens } from '../internal/scenarios.js'
import type { Rows } from '../store/records.js'
import type { Store } from '../store/store.js'

type InstrumentRecord = Rows['instruments']

/**
 * A payment method, and the token that is used to charge this payment method. There are three kinds of token: constant
 * scenario tokens, single-use tokens, and tokens of saved payment methods.
 */
export interface PaymentMethodSource {
  readonly token: string
  readonly scenario: ScenarioName
  readonly isVaulted: boolean
  /** Client token of the session in which a single-use token was created. */
  readonly clientToken?: string | undefined
  readonly isUsed?: boolean | undefined
}

type Saveable = Pick<PaymentMethodSource, 'token' | 'scenario'>

const scenarioOf = new Map(scenarioNames.map((name) => [tokens[name], name]))

export class Vault {
  constructor(
    private readonly store: Store,
    private readonly clock: VirtualClock,
    private readonly random: Random,
  ) {}

  tokenize(scenario: ScenarioName, clientToken: string | undefined): string {
    const token = this.random.id('tok')
    this.store.singleUseTokens.set(token, { scenario, ...(clientToken !== undefined && { clientToken }) })
    return token
  }

  find(token: string): PaymentMethodSource | undefined {
    const constant = scenarioOf.get(token)
    if (constant) return { token, isVaulted: false, scenario: constant }
    const single = this.store.singleUseTokens.get(token)
    if (single) return { token, isVaulted: false, ...single }
    const saved = this.store.instruments.get(token)
    return saved && !saved.instrument.deleted ? { token, isVaulted: true, scenario: saved.scenario } : undefined
  }

  use({ token, isUsed }: PaymentMethodSource): void {
    if (isUsed) throw new ServiceError(409, 'PaymentMethodTokenUsed', 'The payment method token was used before')
    const single = this.store.singleUseTokens.get(token)
    if (single) this.store.singleUseTokens.set(token, { ...single, isUsed: true })
  }

  /** Returns the customer's saved payment method for a token, unless it was deleted. */
  savedAs({ token }: { token: string }, customerId: string): PaymentInstrument | undefined {
    return this.#of(customerId).find(({ source, instrument }) => token === source || token === instrument.token)
      ?.instrument
  }

  /** Saves a payment method and returns it. If it is already saved, returns the existing saved payment method. */
  save(source: Saveable, customerId: string, isVerified: boolean): PaymentInstrument {
    const saved = this.savedAs(source, customerId)
    if (saved) return saved
    const { scenario } = source
    const { paymentMethodType, paymentMethodData } = scenarios[scenario]
    const instrument = {
      token: this.random.id('vaulted'),
      tokenType: 'MULTI_USE',
      analyticsId: analyticsId(scenario),
      paymentMethodType,
      paymentMethodData,
      customerId,
      default: false,
      isVerified,
      createdAt: zoneless(this.clock.now()),
      deleted: false,
    }
    this.store.instruments.set(instrument.token, { instrument, scenario, source: source.token })
    return instrument
  }

  list(customerId: string): PaymentInstrument[] {
    return this.#of(customerId).map((record) => record.instrument)
  }

  /** Returns a saved payment method, even if it was deleted. */
  get(token: string): PaymentInstrument {
    return this.#record(token).instrument
  }

  setDefault(token: string): PaymentInstrument {
    const { instrument } = this.#record(token)
    if (instrument.deleted) throw notFound()
    for (const other of this.#of(instrument.customerId as string)) {
      this.#change(other, { default: other.instrument.token === token })
    }
    return this.get(token)
  }

  delete(token: string): PaymentInstrument {
    this.#change(this.#record(token), { deleted: true, default: false, deletedAt: zoneless(this.clock.now()) })
    return this.get(token)
  }

  #change(record: InstrumentRecord, changes: Partial<PaymentInstrument>): void {
    const instrument = { ...record.instrument, ...changes }
    this.store.instruments.set(instrument.token, { ...record, instrument })
  }

  #of(customerId: string): InstrumentRecord[] {
    const all = this.store.instruments.rows()
    return all.filter(({ instrument }) => instrument.customerId === customerId && !instrument.deleted)
  }

  #record(token: string): InstrumentRecord {
    const record = this.store.instruments.get(token)
    if (record) return record
    throw notFound()
  }
}

/** All tokens of a scenario belong to one card, so they share its analytics ID. */
export function analyticsId(scenario: ScenarioName): string {
  return `card_${scenario}`
}

function notFound(): ServiceError {
  return new ServiceError(404, 'PaymentMethodNotFound', 'There is no saved payment method with this token')
}
