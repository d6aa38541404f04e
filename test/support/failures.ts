import { expect } from 'vitest'
import type { PaymentsError } from '../../src/index.js'

/** What a call fails with. */
export async function failureOf(call: PromiseLike<unknown>): Promise<PaymentsError> {
  return Promise.resolve(call).then(
    () => expect.unreachable('It did not fail'),
    (error: PaymentsError) => error,
  )
}

/** A refusal as the service writes it. */
export function refused(status: number, error: object = {}, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers })
}
