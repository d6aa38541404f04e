/** Returns the request headers for contenders that are HTTP clients, not SDKs. */
export const headers = () => ({
  accept: 'application/json',
  'user-agent': 'bench/1.0.0',
  'x-api-key': 'key',
  'x-api-version': '2021-09-27',
})

export const headersWithBody = () => ({
  ...headers(),
  'content-type': 'application/json',
  'x-idempotency-key': crypto.randomUUID(),
})
