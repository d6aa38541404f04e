/** Returns request headers for the contenders that are plain HTTP clients. */
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
