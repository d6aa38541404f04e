import { describe, expect, it } from 'vitest'
import { createHandler, sign } from '../../src/webhooks/index.js'
import { closedUrl, fakeTerminal, startReceiver } from './support.js'

const secret = 'a signing secret of length'
const env = { PAYMENTS_WEBHOOK_SECRET: secret }

describe('payments-client webhooks send', () => {
  it.each(['PAYMENT.STATUS', 'PAYMENT.REFUND', 'DISPUTE.STATUS'] as const)('sends a signed %s event', async (event) => {
    const events: string[] = []
    const record = ({ eventType }: { eventType: string }) => void events.push(eventType)
    const on = { 'PAYMENT.STATUS': record, 'PAYMENT.REFUND': record, 'DISPUTE.STATUS': record }
    const url = await startReceiver(createHandler({ secret, on }))
    const { output, run } = fakeTerminal({ env })

    const code = await run('webhooks', 'send', url, '--event', event)

    expect(code).toBe(0)
    expect(output[0]).toBe('The receiver responded with status 200')
    expect(events).toEqual([event])
  })

  it('sends the exact bytes of a file as the webhook’s body', async () => {
    let body = ''
    const url = await startReceiver(async (request) => {
      body = await request.text()
      return new Response()
    })
    const files = { 'event.json': '{ "message" : "é" }\n' }
    const { output, run } = fakeTerminal({ env, files })

    await run('webhooks', 'send', url, '--data', 'event.json')

    expect(body).toBe(files['event.json'])
    expect(output).toEqual(['The receiver responded with status 200'])
  })

  it('signs with both a new secret and the given secret if --rotate is set', async () => {
    const names: string[] = []
    const handle = createHandler({ secret })
    const url = await startReceiver((request) => {
      names.push(...[...request.headers.keys()].filter((name) => name.startsWith('x-signature')))
      return handle(request)
    })
    const { output, run } = fakeTerminal({ env })

    expect(await run('webhooks', 'send', url, '--rotate')).toBe(0)
    expect(output).toEqual(['The receiver responded with status 200'])
    expect(names).toEqual(['x-signature-primary', 'x-signature-secondary'])
  })

  it('sends an event several times with --duplicate, to test that the receiver handles it only once', async () => {
    const statuses: unknown[] = []
    const on = { 'PAYMENT.STATUS': ({ payment }: { payment: { status?: string } }) => statuses.push(payment.status) }
    const url = await startReceiver(createHandler({ secret, on }))
    const { output, run } = fakeTerminal({ env })

    expect(await run('webhooks', 'send', url, '--duplicate', '3')).toBe(0)
    expect(output).toEqual(Array(3).fill('The receiver responded with status 200'))
    expect(statuses).toEqual(['AUTHORIZED'])
  })

  it('fails if the receiver rejects a duplicate event', async () => {
    let count = 0
    const url = await startReceiver(() => new Response(null, { status: ++count === 2 ? 500 : 200 }))
    const { output, run } = fakeTerminal({ env })

    expect(await run('webhooks', 'send', url, '--duplicate', '3')).toBe(1)
    expect(output).toHaveLength(3)
  })

  it.each([
    ['rejects', 0, createHandler({ secret })],
    ['accepts', 1, () => new Response()],
  ])('reports that the receiver %s the changed body that --tamper sends', async (_, expected, handle) => {
    const url = await startReceiver(handle)
    const { output, run } = fakeTerminal({ env })

    expect(await run('webhooks', 'send', url, '--tamper')).toBe(expected)
    expect(output[0]).toBe(`The receiver responded with status ${expected === 0 ? 400 : 200}`)
    expect(output.at(-1)).toContain(expected === 0 ? 'as it should' : 'verify the signature')
  })

  it('prints the response body if the receiver rejects the webhook', async () => {
    const url = await startReceiver(() => new Response('Invalid webhook\r\n  signature: no-match\n', { status: 400 }))
    const { output, run } = fakeTerminal({ env })

    expect(await run('webhooks', 'send', url)).toBe(1)
    expect(output).toEqual([
      'The receiver responded with status 400',
      'Invalid webhook',
      '  signature: no-match',
      'The receiver may use a different secret than PAYMENTS_WEBHOOK_SECRET: compare the two',
    ])
  })

  it('prints each response as JSON with --json', async () => {
    const url = await startReceiver(() => new Response('Later', { status: 503 }))
    const { output, run } = fakeTerminal({ env })

    expect(await run('webhooks', 'send', url, '--json', '--duplicate=2')).toBe(1)
    expect(output.map((line) => JSON.parse(line))).toEqual(Array(2).fill({ status: 503, ok: false, body: 'Later' }))
  })

  it('prints only the first 2,000 characters of a long response body', async () => {
    const url = await startReceiver(() => new Response('x'.repeat(5000)))
    const { output, run } = fakeTerminal({ env })

    await run('webhooks', 'send', url)

    expect(output.slice(1)).toEqual(['x'.repeat(2000), '… (5000 characters)'])
  })

  it.each(['127.0.0.1', 'localhost'])('fails if the receiver at %s does not respond', async (host) => {
    const { output, run } = fakeTerminal({ env })
    const url = await closedUrl()

    expect(await run('webhooks', 'send', url.replace('127.0.0.1', host))).toBe(1)
    expect(output).toEqual([expect.stringMatching(/^No response: .*ECONNREFUSED/)])
  })

  it('exits with code 130 when interrupted', async () => {
    const { interrupt, output, run } = fakeTerminal({ env })
    const url = await startReceiver(() => {
      interrupt()
      return new Promise(() => {})
    })

    expect(await run('webhooks', 'send', url)).toBe(130)
    expect(output).toEqual([])
  })

  it.each([
    ['', 'Set the environment variable PAYMENTS_WEBHOOK_SECRET'],
    ['short', 'too short'],
  ])('rejects the invalid signing secret %j', async (invalid, message) => {
    const { notes, run } = fakeTerminal({ env: { PAYMENTS_WEBHOOK_SECRET: invalid } })

    expect(await run('webhooks', 'send', 'https://shop.test/hooks')).toBe(2)
    expect(notes).toEqual([expect.stringContaining(message)])
  })
})

describe('payments-client webhooks diagnose', () => {
  const body = '{"eventType":"PAYMENT.STATUS","payment":{"id":"pay-1"}}'
  const primary = sign(body, secret)['X-Signature-Primary']

  it('verifies a valid webhook, and prints the diagnosis as JSON with --json', async () => {
    const { output, run } = fakeTerminal({ env, files: { body } })

    expect(await run('webhooks', 'diagnose', 'body', '--primary', primary)).toBe(0)
    expect(await run('webhooks', 'diagnose', 'body', '--primary', primary, '--json')).toBe(0)

    expect(output[0]).toMatch(/^verified: /)
    expect(JSON.parse(output[1] ?? '')).toMatchObject({ verified: true, code: 'verified' })
  })

  it('reports a configuration mistake without printing the secret', async () => {
    const { notes, output, run } = fakeTerminal({ env, files: { body: `${body}\n` } })

    expect(await run('webhooks', 'diagnose', 'body', '--primary', primary)).toBe(1)
    expect(output).toEqual([expect.stringMatching(/^body-newline: /)])
    expect([...output, ...notes].join()).not.toContain(secret)
  })

  it('tries both secrets during a rotation, and uses the hash function in --hash', async () => {
    const rotated = { PAYMENTS_WEBHOOK_SECRET: `a newer ${secret},${secret}` }
    const { output, run } = fakeTerminal({ env: rotated, files: { body } })
    const signature = sign(body, secret, { hash: 'sha512' })['X-Signature-Primary']

    expect(await run('webhooks', 'diagnose', 'body', '--secondary', signature, '--hash=sha512')).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^secondary-only: /)])
  })
})
