import type { SandboxSettings } from '../options.js'
import { Refusal } from '../refusal.js'
import type { RememberedAnswer } from '../store/records.js'
import type { Table } from '../store/table.js'

/** Remembers what each idempotency key brought. */
export class Idempotency {
  readonly #answers: Table<RememberedAnswer>
  readonly #mode: SandboxSettings['idempotency']

  constructor(answers: Table<RememberedAnswer>, mode: SandboxSettings['idempotency']) {
    this.#answers = answers
    this.#mode = mode
  }

  /** Act once for a key. A refused request does not use its key up. */
  once(key: string, request: string, act: () => object): object {
    const first = this.#answers.get(key)
    if (first) return this.#repeat(first, request)
    const answer = act()
    this.#answers.set(key, { request, answer })
    return answer
  }

  #repeat(first: RememberedAnswer, request: string): object {
    const { id: paymentId } = first.answer as { id: string }
    if (this.#mode === 'conflict') {
      throw new Refusal(409, 'IdempotencyKeyAlreadyExists', 'The idempotency key was used before', { paymentId })
    }
    if (this.#mode === 'conflict-400') {
      const errorId = 'TransactionRequestIdempotencyKeyAlreadyExists'
      throw new Refusal(400, errorId, 'The idempotency key was used before', { paymentId })
    }
    if (first.request === request) return first.answer
    throw new Refusal(409, 'IdempotencyKeyReused', 'The idempotency key was used before, with another body', {
      paymentId,
    })
  }
}
