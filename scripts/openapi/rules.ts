import type { AnyOperation, OperationClass, Scope } from '../../src/core/contract/operation.js'

/** The safety rules of an operation, which its OpenAPI object contains as data. */
export interface SafetyRules {
  /**
   * Whether a request may be retried after a failure in which it may have taken effect. With `unless-verify`, a request
   * must not be retried if the field `verify` of its body is true.
   */
  readonly 'x-retry': 'always' | 'same-key' | 'unless-verify' | 'never'
  /** Whether the service accepts the header `X-Idempotency-Key`. */
  readonly 'x-idempotency-key': boolean
  /** Whether the operation can reserve, charge, release or return money or loyalty points. */
  readonly 'x-moves-money': boolean
  /** The scope that the API key needs, or `null` if the specification names none. */
  readonly 'x-scope': Scope | null
}

const retryOf: Record<OperationClass, SafetyRules['x-retry']> = {
  safe: 'always',
  keyed: 'same-key',
  repeatable: 'always',
  once: 'never',
}

/** Returns the safety rules of an operation, derived from the contract. */
export function rulesOf({ name, class: kind, onceIf, scope }: AnyOperation): SafetyRules {
  return {
    'x-retry': onceIf ? 'unless-verify' : retryOf[kind],
    'x-idempotency-key': kind === 'keyed',
    'x-moves-money': kind !== 'safe' && /^(payments|loyalty)\./.test(name),
    'x-scope': scope ?? null,
  }
}
