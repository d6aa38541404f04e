import type { PaymentInstrument } from '../../schemas/payment-instrument.js'
import type { VirtualClock } from '../clock.js'
import type { Random } from '../random.js'
import { Refusal } from '../refusal.js'
import type { InstrumentRecord } from '../store/records.js'
import type { Store } from '../store/store.js'
import { zoneless } from '../times.js'
import { type ScenarioName, scenarioNames, scenarios, tokens } from './scenarios.js'

/** Whatever a payment method token stands for. */
export interface PaymentMethodSource {
  readonly token: string
  /** Whether a customer saved it. Else it is a scenario's constant, or good for a single use. */
  readonly isVaulted: boolean
  readonly scenario: ScenarioName
  /** The session that a single-use token was made in. */
  readonly clientToken?: string | undefined
  /** A single-use token that was used. */
  readonly isUsed?: boolean | undefined
}

type Saveable = Pick<PaymentMethodSource, 'token' | 'scenario'>

const scenarioOf = new Map(scenarioNames.map((name) => [tokens[name], name]))

/** Payment method tokens, and the payment methods that customers saved. */
export class Vault {
  readonly #store: Store
  readonly #clock: VirtualClock
  readonly #random: Random

  constructor(store: Store, clock: VirtualClock, random: Random) {
    this.#store = store
    this.#clock = clock
    this.#random = random
  }

  /** Make a single-use token. */
  tokenize(scenario: ScenarioName, clientToken: string | undefined): string {
    const token = this.#random.id('tok')
    this.#store.singleUseTokens.set(token, { scenario, ...(clientToken !== undefined && { clientToken }) })
    return token
  }

  find(token: string): PaymentMethodSource | undefined {
    const constant = scenarioOf.get(token)
    if (constant) return { token, isVaulted: false, scenario: constant }
    const single = this.#store.singleUseTokens.get(token)
    if (single) return { token, isVaulted: false, ...single }
    const saved = this.#store.instruments.get(token)
    return saved && !saved.instrument.deleted ? { token, isVaulted: true, scenario: saved.scenario } : undefined
  }

  /** A single-use token is good for one use. */
  use({ token, isUsed }: PaymentMethodSource): void {
    if (isUsed) throw new Refusal(409, 'PaymentMethodTokenUsed', 'The payment method token was used before')
    const single = this.#store.singleUseTokens.get(token)
    if (single) this.#store.singleUseTokens.set(token, { ...single, isUsed: true })
  }

  /** What a token was saved as for a customer, unless that was deleted. */
  savedAs(source: Pick<PaymentMethodSource, 'token'>, customerId: string): PaymentInstrument | undefined {
    return this.#of(customerId).find(
      (record) => source.token === record.source || source.token === record.instrument.token,
    )?.instrument
  }

  /** Save a payment method, unless it is saved already. */
  save(source: Saveable, customerId: string, isVerified: boolean): PaymentInstrument {
    const saved = this.savedAs(source, customerId)
    if (saved) return saved
    const { paymentMethodType, paymentMethodData } = scenarios[source.scenario]
    return this.#put(source, {
      token: this.#random.id('vaulted'),
      tokenType: 'MULTI_USE',
      analyticsId: analyticsId(source.scenario),
      paymentMethodType,
      paymentMethodData,
      customerId,
      default: false,
      isVerified,
      createdAt: zoneless(this.#clock.now()),
      deleted: false,
    })
  }

  list(customerId: string): PaymentInstrument[] {
    return this.#of(customerId).map((record) => record.instrument)
  }

  /** A saved payment method, deleted or not. */
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
    this.#change(this.#record(token), { deleted: true, default: false, deletedAt: zoneless(this.#clock.now()) })
    return this.get(token)
  }

  #put(source: Saveable, instrument: PaymentInstrument): PaymentInstrument {
    const { scenario, token } = source
    const customerId = instrument.customerId as string
    this.#store.instruments.set(instrument.token, { instrument, scenario, source: token })
    this.#store.instrumentsOf.set(customerId, [...(this.#store.instrumentsOf.get(customerId) ?? []), instrument.token])
    return instrument
  }

  #change(record: InstrumentRecord, changes: Partial<PaymentInstrument>): void {
    const instrument = { ...record.instrument, ...changes }
    this.#store.instruments.set(instrument.token, { ...record, instrument })
  }

  /** What a customer saved and did not delete. */
  #of(customerId: string): InstrumentRecord[] {
    const saved = this.#store.instrumentsOf.get(customerId) ?? []
    return saved.map((token) => this.#record(token)).filter(({ instrument }) => !instrument.deleted)
  }

  #record(token: string): InstrumentRecord {
    const record = this.#store.instruments.get(token)
    if (record) return record
    throw notFound()
  }
}

/** The card behind the tokens of a scenario is always the same one. */
export function analyticsId(scenario: ScenarioName): string {
  return `card_${scenario}`
}

function notFound(): Refusal {
  return new Refusal(404, 'PaymentMethodNotFound', 'There is no saved payment method with this token')
}
