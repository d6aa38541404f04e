import type { Issue } from '../internal/issues.js'

interface Particulars {
  /** What is wrong with the request, and in which part of it. */
  part?: 'body' | 'query'
  issues?: readonly Issue[]
  /** The payment that the refusal is about. */
  paymentId?: string
}

/** The service declines to do something. Thrown inside the sandbox, an error envelope outside. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly errorId: string,
    description: string,
    readonly particulars: Particulars = {},
  ) {
    super(description)
  }
}

/** A request that breaks the contract. */
export function invalid(part: 'body' | 'query', issues: readonly Issue[]): Refusal {
  return new Refusal(400, 'RequestValidationFailed', `The ${part} of the request is not valid`, { part, issues })
}

/** A body that lacks something, or says something impossible. */
export function invalidField(field: string, message: string): Refusal {
  return invalid('body', [{ path: [field], message }])
}

/** Something that this payment does not allow. */
export function refusalOf(payment: { id: string }, status: number, errorId: string, description: string): Refusal {
  return new Refusal(status, errorId, description, { paymentId: payment.id })
}
