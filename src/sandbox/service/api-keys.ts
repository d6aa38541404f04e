import type { Scope } from '../../contract/operation.js'
import { requireOptions, unknown } from '../options.js'
import type { Random } from '../random.js'
import { Refusal } from '../refusal.js'
import type { Table } from '../store/table.js'

const everyScope: Record<Scope, true> = {
  'client_tokens:write': true,
  'third_party:webhook_trigger': true,
  'transactions:authorize': true,
  'transactions:cancel': true,
  'transactions:capture': true,
  'transactions:retrieve': true,
  'transactions:refund': true,
  'payment_instrument:read': true,
  'payment_instrument:write': true,
  'observability-payments:write': true,
  'loyalty-transactions:write': true,
  'loyalty-transactions:read': true,
}

/** Who may do what. */
export class ApiKeys {
  /** May do everything, and cannot be revoked. */
  readonly master: string
  readonly #limited: Table<readonly Scope[]>
  readonly #random: Random

  constructor(limited: Table<readonly Scope[]>, random: Random) {
    this.#limited = limited
    this.#random = random
    this.master = random.id('key')
  }

  create(options: { scopes: readonly Scope[] }): string {
    requireOptions('createApiKey option', options, ['scopes'])
    const { scopes } = options
    if (!Array.isArray(scopes)) throw new TypeError('An API key needs scopes: a list, which may be empty')
    for (const scope of scopes) {
      if (everyScope[scope as Scope] !== true) throw new TypeError(unknown('scope', scope, Object.keys(everyScope)))
    }
    const key = this.#random.id('key')
    this.#limited.set(key, [...scopes])
    return key
  }

  revoke(key: string): void {
    if (!this.#limited.delete(key)) throw new Error('There is no such API key, or it was revoked before')
  }

  /** Refuses unless the key is valid and has the scope, if one is asked for. */
  admit(key: string | null, scope: Scope | undefined): void {
    if (key === this.master) return
    const scopes = key === null ? undefined : this.#limited.get(key)
    if (!scopes) throw new Refusal(401, 'Unauthorized', 'The X-Api-Key header is missing, or the key is not valid')
    if (scope && !scopes.includes(scope)) {
      throw new Refusal(403, 'Forbidden', `The API key lacks the scope ${scope}`)
    }
  }
}
