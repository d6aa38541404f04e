import { expect } from 'vitest'
import { type ApiVersion, type ClientOptions, type PaymentsClient, RequestValidationError } from '../../src/index.js'
import { aClient } from './recording-fetch.js'

/** How a call was refused: that nothing was sent is part of it. */
export async function refusal<V extends ApiVersion = '2021-09-27'>(
  call: (client: PaymentsClient<V>) => PromiseLike<unknown>,
  options: ClientOptions<V> = {},
): Promise<RequestValidationError> {
  const { client, requests } = aClient<V>([], options)
  const error = await Promise.resolve(call(client)).then(
    () => expect.unreachable('The call was not refused'),
    (reason: unknown) => reason,
  )
  expect(requests).toEqual([])
  expect(error).toBeInstanceOf(RequestValidationError)
  expect(error).toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent', attempts: [] })
  return error as RequestValidationError
}

/** What was wrong, as `order.fees.0.amount must be an integer`. */
export async function issuesOf<V extends ApiVersion = '2021-09-27'>(
  call: (client: PaymentsClient<V>) => PromiseLike<unknown>,
  options: ClientOptions<V> = {},
): Promise<string[]> {
  const { issues } = await refusal(call, options)
  return issues.map(({ path, message }) => `${path.join('.')} ${message}`)
}
