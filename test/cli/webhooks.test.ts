import { describe, expect, it } from 'vitest'
import { eventTypes } from '../../src/core/schemas/known-values.js'
import { createHandler, sign } from '../../src/webhooks/index.js'
import { closedUrl, fakeTerminal, startReceiver } from './support.js'

const secret = 'a signing secret of length'
const env = { PAYMENTS_WEBHOOK_SECRET: secret }

/** Starts a receiver, and sends webhooks to it with the command and the given options. */
async function send(handle: Parameters<typeof startReceiver>[0], args: string[] = [], files = {}) {
  const { output, run } = fakeTerminal({ env, files })
  const code = await run('webhooks', 'send', await startReceiver(handle), ...args)
  return { code, output }
}

const success = 'The receiver responded with status 200'

describe('payments-client webhooks send', () => {
  it.each(eventTypes)('sends a signed %s event', async (event) => {
    const events: string[] = []
    const record = ({ eventType }: { eventType: string }) => void events.push(eventType)
    const on = Object.fromEntries(eventTypes.map((type) => [type, record]))

    const { code, output } = await send(createHandler({ secret, on }), ['--event', event])

    expect({ code, output, events }).toEqual({ code: 0, output: [success], events: [event] })
  })

  it('sends the exact bytes of a file as the webhook’s body', async () => {
    let body = ''
    const files = { 'event.json': '{ "message" : "é" }\n' }
    const receive = async (request: Request) => {
      body = await request.text()
      return new Response()
    }

    const { output } = await send(receive, ['--data', 'event.json'], files)

    expect(body).toBe(files['event.json'])
    expect(output).toEqual([success])
  })

  it('signs with a new secret and the given secret if --rotate is set', async () => {
    const names: string[] = []
    const handle = createHandler({ secret })
    const receive = (request: Request) => {
      names.push(...[...request.headers.keys()].filter((name) => name.startsWith('x-signature')))
      return handle(request)
    }

    expect(await send(receive, ['--rotate'])).toEqual({ code: 0, output: [success] })
    expect(names).toEqual(['x-signature-primary', 'x-signature-secondary'])
  })

  it('sends an event several times with --duplicate', async () => {
    const statuses: unknown[] = []
    const on = { 'PAYMENT.STATUS': ({ payment }: { payment: { status?: string } }) => statuses.push(payment.status) }

    const result = await send(createHandler({ secret, on }), ['--duplicate', '3'])

    expect(result).toEqual({ code: 0, output: Array(3).fill(success) })
    expect(statuses).toEqual(['AUTHORIZED'])
  })

  it.each([
    ['rejects', 0, createHandler({ secret })],
    ['accepts', 1, () => new Response()],
  ])('reports that the receiver %s the changed body that --tamper sends', async (_, expected, handle) => {
    const { code, output } = await send(handle, ['--tamper'])

    expect(code).toBe(expected)
    expect(output[0]).toBe(expected === 0 ? 'The receiver responded with status 400' : success)
    expect(output.at(-1)).toContain(expected === 0 ? 'as it should' : 'verify the signature')
  })

  it('prints the response body if the receiver rejects the webhook', async () => {
    const response = new Response('Invalid webhook\r\n  signature: no-match\n', { status: 400 })

    expect(await send(() => response)).toEqual({
      code: 1,
      output: [
        'The receiver responded with status 400',
        'Invalid webhook',
        '  signature: no-match',
        'The receiver may use a different secret than PAYMENTS_WEBHOOK_SECRET: compare the two',
      ],
    })
  })

  it('reports white space around the secret if the receiver responds 400', async () => {
    const url = await startReceiver(() => new Response('', { status: 400 }))
    const { output, run } = fakeTerminal({ env: { PAYMENTS_WEBHOOK_SECRET: 'a-secret-of-24-characters\n' } })

    await run('webhooks', 'send', url)

    expect(output.at(-1)).toBe('PAYMENTS_WEBHOOK_SECRET begins or ends with white space: remove it')
  })

  it('prints each response as JSON with --json', async () => {
    const { code, output } = await send(() => new Response('Later', { status: 503 }), ['--json', '--duplicate=2'])

    expect(code).toBe(1)
    expect(output.map((line) => JSON.parse(line))).toEqual(Array(2).fill({ status: 503, ok: false, body: 'Later' }))
  })

  it('prints only the first 2,000 characters of a long response body', async () => {
    const { output } = await send(() => new Response('x'.repeat(5000)))

    expect(output.slice(1)).toEqual(['x'.repeat(2000), '… (5000 characters)'])
  })

  it.each(['127.0.0.1', 'localhost'])('fails if the receiver at %s does not respond', async (host) => {
    const { output, run } = fakeTerminal({ env })
    const url = await closedUrl()

    expect(await run('webhooks', 'send', url.replace('127.0.0.1', host))).toBe(1)
    expect(output).toEqual([expect.stringMatching(/^No response: .*ECONNREFUSED/)])
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

  it('tries both secrets during a rotation, with the hash function in --hash', async () => {
    const rotated = { PAYMENTS_WEBHOOK_SECRET: `a newer ${secret},${secret}` }
    const { output, run } = fakeTerminal({ env: rotated, files: { body } })
    const signature = sign(body, secret, { hash: 'sha512' })['X-Signature-Primary']

    expect(await run('webhooks', 'diagnose', 'body', '--secondary', signature, '--hash=sha512')).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^secondary-only: /)])
  })
})
