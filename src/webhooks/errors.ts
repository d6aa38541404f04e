import { PaymentsError } from '../core/errors.js'
import { describeIssues, type Issue } from '../core/internal/issues.js'

/** The reason that a webhook was rejected. */
export type WebhookRefusal =
  | 'missing-signature'
  | 'malformed-signature'
  | 'no-match'
  | 'body-not-raw'
  | 'too-large'
  | 'too-old'
  | 'too-new'

/** A webhook failed verification, so its content cannot be trusted. */
export class WebhookVerificationError extends PaymentsError {
  override readonly name = 'WebhookVerificationError'
  readonly code = 'ERR_WEBHOOK_VERIFICATION'

  constructor(
    readonly reason: WebhookRefusal,
    message: string,
  ) {
    super(message)
  }
}

/** A webhook has a valid signature, but its body is not JSON, or is a known event that violates its schema. */
export class WebhookPayloadError extends PaymentsError {
  override readonly name = 'WebhookPayloadError'
  readonly code = 'ERR_WEBHOOK_PAYLOAD'
  readonly #payload: unknown

  constructor(
    message: string,
    payload: unknown,
    /** The violations of the schema. Empty if the body is not JSON. */
    readonly issues: readonly Issue[] = [],
  ) {
    super(issues.length > 0 ? `${message} (${describeIssues(issues)})` : message)
    this.#payload = payload
  }

  /** The parsed JSON, or the body as a string if it is not JSON. Omitted when the error is printed. */
  get payload(): unknown {
    return this.#payload
  }
}

/**
 * Your function's exclusive claim on a webhook delivery expired before the function finished.
 *
 * Another process may handle the same delivery, so your function may run twice. The service delivers the webhook again.
 */
export class ClaimLostError extends PaymentsError {
  override readonly name = 'ClaimLostError'
  readonly code = 'ERR_CLAIM_LOST'

  constructor(
    /** The delivery key: `context.key`. */
    readonly key: string,
  ) {
    super('The claim on this delivery expired, so another process may handle the delivery too: increase claimTtl')
  }
}
