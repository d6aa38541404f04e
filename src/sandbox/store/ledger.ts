/** Something that really happened in the service. */
export interface Effect {
  /** The operation that did it, e.g. `payments.capture`. */
  readonly operation: string
  /** The payment, client session, payment method, external payment or loyalty transaction that it was done to. */
  readonly resourceId: string
  /** Minor units; points for a loyalty transaction. Absent where no amount moved. */
  readonly amount?: number
  /** The key that the request came with. */
  readonly idempotencyKey?: string
  /** When it happened, ISO 8601 in UTC. */
  readonly at: string
}

/** Every effect, oldest first. The array stays the same one, so that it can be held on to. */
export class Ledger {
  readonly effects: Effect[] = []

  record({ amount, idempotencyKey, ...effect }: Effect): void {
    const known = { ...(amount !== undefined && { amount }), ...(idempotencyKey !== undefined && { idempotencyKey }) }
    this.effects.push(Object.freeze({ ...effect, ...known }))
  }

  restore(effects: readonly Effect[]): void {
    this.effects.length = 0
    for (const effect of effects) this.record(effect)
  }
}
