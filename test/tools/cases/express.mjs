import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { SpanKind } from '@opentelemetry/api'

const require = createRequire(import.meta.url)
const folder = join(dirname(import.meta.dirname), 'express')

/** Starts the shop in this process, into which `tracing.cjs` is already loaded. */
export default async function start() {
  const sandbox = fork(join(folder, 'sandbox.mjs'), { execArgv: [] })
  const tell = async (type, value) => {
    sandbox.send({ type, value })
    const [message] = await once(sandbox, 'message')
    return message
  }
  const [{ url, apiKey, secret, token }] = await once(sandbox, 'message')

  const lines = []
  const pino = require('pino')
  const logger = pino(
    { level: 'debug' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)))
        done()
      },
    }),
  )
  const { createShop } = require('../express/app.cjs')
  const { app, events } = createShop({ apiKey, baseUrl: url, secret, logger })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const shop = `http://127.0.0.1:${server.address().port}`
  await tell('subscribe', `${shop}/webhooks`)

  const post = async (path, body = {}) => {
    const response = await fetch(`${shop}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`)
    return response.json()
  }

  return {
    async payment() {
      const { id, status } = await post('/checkout', { paymentMethodToken: token, orderId: 'order-1', amount: 700 })
      assert.equal(status, 'AUTHORIZED')
      assert.equal((await post(`/payments/${id}/capture`)).status, 'SETTLED')
      await post(`/payments/${id}/refund`)
      const { deliveries } = await tell('finish-refund', id)
      assert.ok(deliveries.length > 0 && deliveries.every((status) => status === 200), `Deliveries: ${deliveries}`)
      assert.ok(events.includes('status SETTLED') && events.includes('refund'), `Events: ${events}`)
    },
    async spans() {
      const spans = globalThis.finishedSpans()
      for (const path of ['/checkout', '/payments/:id/capture', '/payments/:id/refund']) {
        const received = spans.find(({ kind, name }) => kind === SpanKind.SERVER && name === `POST ${path}`)
        assert.ok(received, `No span for POST ${path}: ${spans.map(({ name }) => name)}`)
        const { traceId } = received.spanContext()
        const sent = spans.filter(
          (span) =>
            span.kind === SpanKind.CLIENT &&
            String(span.attributes['url.full'] ?? span.attributes['http.url']).startsWith(url) &&
            span.spanContext().traceId === traceId,
        )
        assert.equal(sent.length, 1, `The trace of ${path} has ${sent.length} calls`)
      }
      assert.ok(spans.some(({ kind, name }) => kind === SpanKind.SERVER && name === 'POST /webhooks'))
      const printed = JSON.stringify(spans.map(({ name, attributes, events }) => ({ name, attributes, events })))
      assert.ok(!printed.includes(apiKey), 'A span contains the API key')
    },
    async logs() {
      const created = lines.find(({ msg }) => msg === 'payment created')
      assert.match(String(created?.trace_id), /^[0-9a-f]{32}$/)
      assert.ok(!JSON.stringify(lines).includes(apiKey), 'A log line contains the API key')
      server.close()
      sandbox.kill()
    },
  }
}
