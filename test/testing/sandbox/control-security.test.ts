import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ListenOptions } from '../../../src/testing/index.js'
import { actions } from '../../../src/testing/sandbox/control/actions.js'
import { views } from '../../../src/testing/sandbox/control/views.js'
import { sendTo, startControl } from '../../support/control.js'
import { leastExternalPayment } from '../../support/external-payment.js'
import { aPayment } from '../../support/start-sandbox.js'

const json = { 'content-type': 'application/json' }

describe('the control API’s host checks', () => {
  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost@evil.example',
    '127.0.0.2',
    '0.0.0.0',
    '[::1]',
  ])('rejects the host "%s", which DNS rebinding could send', async (host) => {
    const { sandbox, send, url } = await startControl()
    const { secret } = sandbox.webhooks

    const responses = await Promise.all([
      send('state', { headers: { host } }),
      send('events', { headers: { host } }),
      send('nowhere', { headers: { host } }),
      send('actions/rotateSecret', { method: 'POST', headers: { host, ...json }, body: '{}' }),
      sendTo(`${url}/__sandbox/`, { headers: { host } }),
      sendTo(`${url}/__sandbox`, { headers: { host } }),
      sendTo(`${url}/`, { headers: { host, accept: 'text/html' } }),
    ])

    const error = { code: 'HostNotAllowed', message: expect.stringContaining('add it to allowedHosts') }
    expect(responses.map((response) => [response.status, response.json])).toEqual(Array(7).fill([403, { error }]))
    expect(sandbox.webhooks.secret).toBe(secret)
  })

  it('rejects an HTTP/1.0 request without a Host header', async () => {
    const { url } = await startControl()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('GET /__sandbox/api/clock HTTP/1.0\r\n\r\n')

    expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1\.1 403 /)
  })

  it.each<[hosts: string[], options: ListenOptions | undefined]>([
    [['127.0.0.1', '127.0.0.1:4010', 'localhost', 'LOCALHOST:1'], undefined],
    [['localhost', '127.0.0.1'], { host: 'localhost' }],
    [
      ['0.0.0.0', 'localhost', 'pay.test', 'PAY.test:4010', '[fd00::1]'],
      { host: '0.0.0.0', allowedHosts: ['Pay.test', 'fd00::1'] },
    ],
  ])('accepts the hosts %j with the listen options %j', async (hosts, options) => {
    const { send } = await startControl(options)

    const responses = await Promise.all(hosts.map((host) => send('clock', { headers: { host } })))

    expect(responses.map(({ status }) => status)).toEqual(hosts.map(() => 200))
  })

  it('rejects the machine’s addresses if the sandbox listens on 0.0.0.0', async () => {
    const { send } = await startControl({ host: '0.0.0.0' })

    const responses = await Promise.all(
      ['127.0.0.1', '192.168.1.5'].map((host) => send('clock', { headers: { host } })),
    )

    expect(responses.map(({ status }) => status)).toEqual([403, 403])
  })

  it('does not check the host of requests to the payment API', async () => {
    const { sandbox, url } = await startControl()

    const { status } = await sendTo(`${url}/payments`, {
      headers: { host: 'payments.test', origin: 'http://evil.example', 'x-api-key': sandbox.apiKey },
    })

    expect(status).toBe(200)
  })

  it.each([
    [['http://pay.test'], 'allowedHosts[0] must be a host name or IP address, without scheme and port'],
    [['localhost', 'pay.test:4010'], 'allowedHosts[1] must be a host name or IP address'],
    [['*'], 'allowedHosts[0] must be a host name'],
    [[5], 'allowedHosts[0] must be a host name'],
    ['pay.test', 'allowedHosts must be an array of host names'],
  ])('rejects invalid allowedHosts: %j', async (allowedHosts, message) => {
    await expect(startControl({ allowedHosts } as ListenOptions)).rejects.toThrow(message)
  })
})

describe('a control API action', () => {
  const own = { host: '127.0.0.1:4010' }

  it.each<[status: number, code: string, headers: Record<string, string>]>([
    [403, 'OriginNotAllowed', { ...own, ...json, origin: 'http://evil.example' }],
    [403, 'OriginNotAllowed', { ...own, ...json, origin: 'null' }],
    [403, 'OriginNotAllowed', { ...own, ...json, origin: 'http://127.0.0.1' }],
    [403, 'OriginNotAllowed', { ...own, ...json, origin: 'http://localhost:4010' }],
    [403, 'OriginNotAllowed', { ...own, ...json, origin: 'https://127.0.0.1:4010' }],
    [403, 'OriginNotAllowed', { ...own, ...json, origin: 'http://127.0.0.1:4010.evil.example' }],
    [403, 'OriginNotAllowed', { ...own, ...json, origin: '' }],
    // A form on another website can send these content types without a preflight.
    [415, 'UnsupportedMediaType', { 'content-type': 'text/plain' }],
    [415, 'UnsupportedMediaType', { 'content-type': 'application/x-www-form-urlencoded' }],
    [415, 'UnsupportedMediaType', { 'content-type': 'multipart/form-data; boundary=application/json' }],
    [415, 'UnsupportedMediaType', { 'content-type': 'text/plain; application/json' }],
    [415, 'UnsupportedMediaType', { 'content-type': 'application/jsonp' }],
    [415, 'UnsupportedMediaType', {}],
  ])('responds %i %s to an action that another website may have sent: %j', async (status, code, headers) => {
    const { sandbox, send } = await startControl()
    const { secret } = sandbox.webhooks

    const response = await send('actions/rotateSecret', { method: 'POST', headers, body: '{}' })

    expect([response.status, response.json.error.code]).toEqual([status, code])
    expect(sandbox.webhooks.secret).toBe(secret)
  })

  it.each(['127.0.0.1:4010', 'localhost', 'pay.test'])(
    'accepts an action whose Origin header matches its Host header: %s',
    async (host) => {
      const { send } = await startControl({ allowedHosts: ['pay.test'] })
      const headers = { ...json, host, origin: `http://${host}` }

      expect((await send('actions/reset', { method: 'POST', headers, body: '{}' })).status).toBe(200)
    },
  )

  it('sends no CORS headers to another origin', async () => {
    const { send } = await startControl()
    const headers = {
      origin: 'http://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }

    const preflight = await send('actions/reset', { method: 'OPTIONS', headers })
    const read = await send('state', { headers })

    expect(preflight.status).toBe(405)
    for (const response of [preflight, read]) {
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(response.headers['cross-origin-resource-policy']).toBe('same-origin')
    }
  })
})

describe('the control API’s responses', () => {
  it('masks API keys and secrets except in the response that creates them', async () => {
    const { act, client, get, sandbox, stream, url } = await startControl()
    const events = await stream()
    const limited = sandbox.createApiKey({ scopes: ['transactions:retrieve'] })
    const oldSecret = sandbox.webhooks.secret
    const secret = sandbox.webhooks.rotateSecret()
    const secrets = [sandbox.apiKey, limited, oldSecret, secret]
    const note = secrets.join(' ')
    const metadata = { note, [limited]: 'key' }
    sandbox.webhooks.subscribe(() => new Response(note))
    sandbox.webhooks.subscribe(`${url}/hooks?key=${limited}`)
    const { id: paymentId } = await client.payments.create(aPayment({ metadata }), { idempotencyKey: limited })
    await client.payments.create(aPayment({ metadata, paymentMethodToken: limited })).catch(() => {})
    await client.withOptions({ apiKey: limited }).payments.list({ orderId: limited })
    await sandbox.fetch(`${sandbox.baseUrl}/${encodeURIComponent(note)}?${new URLSearchParams({ note })}`)
    const { clientToken } = await client.clientSessions.create({ orderId: limited, metadata })
    await client.paymentInstruments.vault('tok_card', { customerId: limited })
    await client.observability.payments.create({ ...leastExternalPayment, metadata })
    sandbox.loyalty.setBalance(limited, secret, 1)
    const disputeId = sandbox.disputes.open(paymentId, { reason: note })
    sandbox.faults.add({ operation: 'payments.authorize', headers: { 'x-key': secret }, body: { note }, status: 500 })
    await sandbox.webhooks.flush()
    const { id } = sandbox.webhooks.deliveries[0]!
    const eventCount = 30

    const texts: Record<string, string> = {}
    for (const path of Object.keys(views)) {
      if (path === 'events') continue
      texts[path] = (await get(path.replace(':id', paymentId))).text
    }
    const args: Record<string, object> = {
      moveDispute: { disputeId, status: secret, fields: { reason: secret } },
      addFault: { body: note },
      redeliver: { id },
      setBalance: { connectionId: note, customerId: limited, points: 1 },
      createApiKey: { scopes: [] },
      revokeApiKey: { apiKey: limited },
      tokenize: { clientToken },
      subscribe: { url: `${url}/${secret}` },
      unsubscribe: { url: `${url}/${limited}` },
      advanceClock: { by: limited },
    }
    // `restore` removes deliveries, so it runs last.
    const names = Object.keys(actions).filter((name) => name !== 'reset' && name !== 'restore')
    const snapshot = sandbox.snapshot()
    for (const name of names) texts[name] = (await act(name, args[name] ?? {})).text
    for (const name of names) texts[`${name} with a payment`] = (await act(name, { paymentId, status: limited })).text
    texts['restore'] = (await act('restore', { snapshot })).text
    texts['reset'] = (await act('reset')).text
    for (let n = 0; n < eventCount; n++) texts[`event ${n}`] = await events.nextBlock()

    const created = [texts['rotateSecret'], texts['createApiKey']].map((text) => JSON.parse(text as string))
    expect(created).toEqual([
      { secret: expect.stringMatching(/^sig_\w{20}$/) },
      { apiKey: expect.stringMatching(/^key_\w{20}$/) },
    ])
    const pattern = /(key|sig)_[A-Za-z0-9]{20}/
    const leaks = Object.entries(texts).filter(
      ([, text]) => pattern.test(text) || secrets.some((each) => text.includes(each)),
    )
    expect(leaks.map(([name]) => name)).toEqual(['rotateSecret', 'createApiKey'])
    expect(texts['state']).toContain('key_[…]')
    expect(texts['state/loyalty']).toContain('key_[…]')
    expect(texts['deliveries']).toContain('sig_[…]')
  })
})

describe('the inspector page', () => {
  it.each([
    ['/__sandbox', {}],
    ['/__sandbox?tab=1', {}],
    ['/', { accept: 'text/html,application/xhtml+xml;q=0.9' }],
  ])('redirects from %s to the inspector page', async (path, headers) => {
    const { url } = await startControl()

    const response = await sendTo(url + path, { headers })

    expect([response.status, response.headers.location]).toEqual([302, '/__sandbox/'])
  })

  it('does not change the responses to requests for other paths', async () => {
    const { sandbox, url } = await startControl()

    await sendTo(`${url}/`)
    await sendTo(`${url}/`, { method: 'POST', headers: { accept: 'text/html' } })
    await sendTo(`${url}/__sandboxes/`)
    await sendTo(`${url}/payments`, { headers: { accept: 'text/html' } })

    expect(sandbox.requests.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['GET', '/', 404],
      ['POST', '/', 404],
      ['GET', '/__sandboxes/', 404],
      ['GET', '/payments', 401],
    ])
  })
})
