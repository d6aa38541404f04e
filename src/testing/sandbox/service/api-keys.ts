import * as z from 'zod'
import { type Scope, scopes } from '../../../core/contract/operation.js'
import { optionsOf } from '../../../core/internal/validation.js'
import { ServiceError } from '../internal/exchange.js'
import type { Notify } from '../internal/feed.js'
import { knownName, requireOptions } from '../internal/options.js'
import type { Random } from '../internal/random.js'

export const scopeList = z.array(knownName('a scope', scopes), 'must be an array of scopes')

const keyOptions = optionsOf<{ scopes: readonly Scope[] }>({ scopes: scopeList }, ['scopes'])

export class ApiKeys {
  /** The key that has every scope. */
  readonly master: string
  readonly #scopes = new Map<string, readonly string[]>()

  constructor(
    private readonly random: Random,
    private readonly notify: Notify,
  ) {
    this.master = random.id('key')
    this.clear()
  }

  create(options: { scopes: readonly Scope[] }): string {
    const { scopes = [] } = requireOptions('createApiKey', options, keyOptions)
    const key = this.random.id('key')
    this.#scopes.set(key, [...scopes])
    this.notify('key')
    return key
  }

  revoke(key: string): void {
    if (!this.#scopes.delete(key)) {
      throw new ServiceError(404, 'ApiKeyNotFound', 'There is no API key with this value, or it was revoked before')
    }
    this.notify('key')
  }

  /** Revokes all keys except the key with every scope. If that key was revoked, it becomes valid again. */
  clear(): void {
    this.#scopes.clear()
    this.#scopes.set(this.master, scopes)
  }

  authorize(key: string | null, scope: Scope | undefined): void {
    const scopes = this.#scopes.get(key ?? '')
    if (!scopes) throw new ServiceError(401, 'Unauthorized', 'The X-Api-Key header is missing or its key is invalid')
    if (scope && !scopes.includes(scope)) {
      throw new ServiceError(403, 'Forbidden', `The API key lacks the scope ${scope}`)
    }
  }
}
