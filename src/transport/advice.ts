import type { Outcome } from '../errors.js'
import { type Failure, keyIsTaken } from './failure.js'
import type { PreparedRequest } from './request.js'

/** What the caller should do next, where the outcome leaves a question. */
export function adviceFor(request: PreparedRequest, outcome: Outcome, failure: Failure): string | undefined {
  if (keyIsTaken(failure)) {
    return 'An earlier call with this idempotency key took effect: read that payment before you do anything else'
  }
  if (outcome !== 'unknown' && outcome !== 'accepted') return undefined
  const { operation } = request
  if (operation.class === 'safe') return undefined
  const verdict =
    outcome === 'accepted'
      ? 'The service accepted the operation, so it took effect'
      : 'Outcome unknown: the operation may have taken effect'
  return `${verdict}. ${nextStep(request, failure.status)}`
}

function nextStep(request: PreparedRequest, status: number | undefined): string {
  const { operation } = request
  if (operation.class === 'keyed') {
    const { lookup = 'read the payment and look at its transactions' } = operation
    return `${repeatWithSameKey(request)}${lookup}`
  }
  if (operation.method === 'DELETE' && status === 404) {
    return 'An earlier attempt of this call may have deleted it already: list what is there'
  }
  return operation.class === 'repeatable' && request.class === 'repeatable'
    ? 'Repeating it is safe'
    : 'Do not repeat it before you have read what is there'
}

function repeatWithSameKey(request: PreparedRequest): string {
  return request.class === 'keyed'
    ? 'Do not repeat it with a new idempotency key. Repeat it with the same key (error.idempotencyKey), or '
    : 'Do not repeat it. Instead '
}
