import { describe, expect, it } from 'vitest'
import { type LambdaEvent, toLambdaHandler } from '../../src/webhooks/index.js'
import { aHandler, aStatusEvent, foreignSecret, signed } from './fixtures.js'

const event = aStatusEvent({ orderId: 'Übergröße €' })
const body = JSON.stringify(event)
const multiValue = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))

const requests: Record<string, (headers: Record<string, string>) => LambdaEvent> = {
  'a REST API': (headers) => ({
    httpMethod: 'POST',
    path: '/webhooks',
    headers,
    multiValueHeaders: multiValue(headers),
    body,
    isBase64Encoded: false,
  }),
  'an HTTP API or function URL': (headers) => ({
    rawPath: '/webhooks',
    requestContext: { http: { method: 'POST', path: '/webhooks' } },
    headers,
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }),
  'an ALB': (headers) => ({ httpMethod: 'POST', path: '/webhooks', requestContext: { elb: {} }, headers, body }),
  'a REST API, in a test event with empty multiValueHeaders': (headers) => ({
    httpMethod: 'POST',
    headers,
    multiValueHeaders: {},
    body,
  }),
  'an ALB with multi-value headers': (headers) => ({
    httpMethod: 'POST',
    requestContext: { elb: {} },
    multiValueHeaders: multiValue(headers),
    body,
  }),
}

describe('toLambdaHandler', () => {
  it.each(Object.entries(requests))('handles a webhook behind %s', async (_, request) => {
    const { handler, onStatus } = aHandler()

    const result = await toLambdaHandler(handler)(request(signed(body)))

    expect(result).toMatchObject({ statusCode: 200, headers: {}, body: '', isBase64Encoded: false })
    expect(onStatus.mock.calls).toEqual([[event, expect.anything()]])
  })

  it.each(Object.entries(requests))('rejects a forged webhook behind %s', async (_, request) => {
    const { handler, onError } = aHandler()

    const result = await toLambdaHandler(handler)(request(signed(body, foreignSecret)))

    expect(result).toMatchObject({ statusCode: 400, body: 'Invalid webhook' })
    expect(result.headers['content-type']).toMatch(/^text\/plain/)
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ reason: 'no-match' }), undefined)
  })

  it('responds with multiValueHeaders if the Lambda event has multiValueHeaders', async () => {
    const { handler } = aHandler()

    const results = await Promise.all(
      ['a REST API', 'an ALB'].map((server) =>
        toLambdaHandler(handler)({ ...requests[server]?.(signed(body)), httpMethod: 'GET' }),
      ),
    )

    expect(results[0]).toMatchObject({
      statusCode: 405,
      headers: { allow: 'POST' },
      multiValueHeaders: { allow: ['POST'] },
    })
    expect(results[1]).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } })
    expect(results[1]).not.toHaveProperty('multiValueHeaders')
  })

  it.each([
    ['no headers', { headers: null, multiValueHeaders: null, body }, 'missing-signature', /signing enabled/],
    ['no body', { headers: signed(body), body: null }, 'no-match', /body was changed/],
    ['a parsed body', { headers: signed(body), body: event as unknown as string }, 'body-not-raw', /body was read/],
    ['invalid base64', { headers: signed(body), body: '*', isBase64Encoded: true }, 'body-not-raw', /is not base64/],
    ['no fields', {}, 'missing-signature', /signing enabled/],
  ])('responds 400 to an event with %s', async (_, given, reason, message) => {
    const { handler, onError } = aHandler()

    const result = await toLambdaHandler(handler)(given)

    expect(result.statusCode).toBe(400)
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ reason, message: expect.stringMatching(message) }),
      undefined,
    )
  })

  it('accepts header values beyond Latin-1', async () => {
    const { handler } = aHandler()

    const result = await toLambdaHandler(handler)({ headers: { ...signed(body), 'x-name': 'Zoë €😀' }, body })

    expect(result.statusCode).toBe(200)
  })

  it('rejects a handler that is not from createHandler', () => {
    expect(() => toLambdaHandler(async () => new Response())).toThrow('must be the result of createHandler')
  })
})
