import type { Issue } from '../../internal/issues.js'
import type { Refusal } from '../refusal.js'
import type { Reply } from './exchange.js'

/** The error envelope. */
export function envelope(refusal: Refusal, diagnosticsId: string): Reply {
  const { part, issues, paymentId } = refusal.particulars
  const error = {
    errorId: refusal.errorId,
    description: refusal.message,
    diagnosticsId,
    ...(issues && { validationErrors: [{ model: part, errors: issues.map(toValidationError) }] }),
    ...(paymentId && { paymentId }),
  }
  return {
    status: refusal.status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ error }),
  }
}

function toValidationError({ path, message }: Issue) {
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
  return { path: `$${steps.join('')}`, description: message }
}
