import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../../src/testing/index.js'
import { startControl } from '../../support/control.js'
import { leastExternalPayment } from '../../support/external-payment.js'
import { aPayment, send } from '../../support/start-sandbox.js'

type Path = readonly (string | number)[]

/** Returns the paths of all values in a JSON document, except the content of recorded bodies. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Object.entries(value)
  return [
    path,
    ...entries.flatMap(([key, inner]) => pathsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])),
  ]
}

/** Returns a copy of a document in which the value at `path` is replaced, or removed if `replacement` is undefined. */
function changed(document: object, path: Path, replacement: unknown): object {
  const copy = structuredClone(document)
  const parent = path.slice(0, -1).reduce((inner, key) => Reflect.get(inner, key), copy)
  const last = path.at(-1) as string
  if (replacement === undefined && !Array.isArray(parent)) Reflect.deleteProperty(parent, last)
  else Reflect.set(parent, last, replacement ?? null)
  return copy
}

const format = (path: Path) =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${key}`), '')

/** Starts a sandbox that has a row in every table. */
async function startFull() {
  const started = await startControl()
  const { client, sandbox } = started
  const { clientToken } = await client.clientSessions.create({ orderId: 'order-1', currencyCode: 'EUR', amount: 100 })
  const token = sandbox.tokenize({ clientToken, scenario: 'requires3ds' })
  const { id } = await client.payments.create({ paymentMethodToken: token }, { idempotencyKey: 'key-1' })
  await client.paymentInstruments.vault('tok_card', { customerId: 'customer-1' })
  await client.observability.payments.create(leastExternalPayment)
  sandbox.loyalty.setBalance('connection-1', 'customer-1', 300)
  await client.loyalty.transactions.create({
    connectionId: 'connection-1',
    customerId: 'customer-1',
    orderId: 'o',
    value: 1,
  })
  sandbox.disputes.move(sandbox.disputes.open(id), 'WON')
  await sandbox.webhooks.flush()
  return { ...started, clientToken, id }
}

describe('sandbox.restore', () => {
  it('rejects an invalid value with its path', async () => {
    const { client, clientToken, get, id, sandbox } = await startFull()
    const snapshot = JSON.parse(JSON.stringify(sandbox.snapshot()))
    const paths = pathsIn(snapshot).slice(1)
    const requests: [method: string, path: string, body?: object][] = [
      ['GET', `/payments/${id}`],
      ['GET', '/payments?order_id=order-1'],
      ['POST', `/payments/${id}/cancel`],
      ['POST', '/payments', aPayment({ customerId: 'customer-1' })],
      ['GET', `/client-session?clientToken=${clientToken}`],
      ['GET', '/payment-instruments?customer_id=customer-1'],
      ['GET', '/loyalty-transactions?connectionId=connection-1'],
    ]
    const problems: unknown[] = []
    const accepted: string[] = []

    for (const path of paths) {
      for (const replacement of [undefined, null, 5, {}]) {
        const other = changed(snapshot, path, replacement)
        try {
          sandbox.restore(other as never)
        } catch (error) {
          const { message } = error as Error
          // Compares only the start of the path, because a row's path continues with a number. Long keys are masked.
          const start = format(path.slice(0, 4)).replace(/\d{6,}/g, '[…]')
          if (!(error instanceof TypeError) || !message.includes(start.split('[')[0] as string))
            problems.push([path, message])
          continue
        }
        accepted.push(format(path))
        for (const [method, url, body] of requests) {
          const { status } = await send(sandbox, method, url, { body, headers: { 'x-idempotency-key': 'key-1' } })
          if (status === 500) problems.push([format(path), replacement, url])
        }
        await sandbox.webhooks.redeliver(sandbox.webhooks.deliveries[0]?.id ?? '').catch((error: Error) => {
          if (error instanceof TypeError || error instanceof SyntaxError)
            problems.push([format(path), replacement, 'redeliver'])
        })
      }
    }

    expect(problems).toEqual([])
    expect(paths.length).toBeGreaterThan(200)
    expect(accepted).toContain('store.payments[0].payment.riskData')
    sandbox.restore(snapshot)
    expect((await client.payments.get(id)).id).toBe(id)
    expect((await get('state')).status).toBe(200)
  })

  it('rejects a snapshot whose stored response to an idempotency key is no payment', async () => {
    const { sandbox } = await startFull()
    const snapshot = JSON.parse(JSON.stringify(sandbox.snapshot()))
    snapshot.store.idempotency[0][1].response.transactions = 7

    expect(() => createSandbox().restore(snapshot)).toThrow('store.idempotency[0][1].response')
  })
})
