import { tracingChannel } from 'node:diagnostics_channel'
import { types } from 'node:util'
import { describe, expect, it } from 'vitest'
import { aClient, clientReceiving, failureOf, payment } from '../support/clients.js'
import { operations } from '../support/operations.js'

describe('the promise returned by a call', () => {
  it.each(operations)('settles a call that is wrapped in tracePromise: $name', async ({ call, response }) => {
    const channel = tracingChannel('payments-client-test')
    const ended: unknown[] = []
    const subscribers = { start() {}, end() {}, error() {}, asyncStart() {}, asyncEnd: () => void ended.push('end') }
    channel.subscribe(subscribers)

    const trace = (client = aClient([response]).client) =>
      Promise.resolve(channel.tracePromise(() => call(client) as Promise<unknown>))
    const result = await trace()
    const error = await failureOf(trace(clientReceiving('', { status: 404 })))
    channel.unsubscribe(subscribers)

    expect(result).toBeDefined()
    expect(error).toMatchObject({ name: 'NotFoundError' })
    expect(ended).toEqual(['end', 'end'])
  })

  it('settles a call for await, then, catch, finally and Promise.all', async () => {
    const ok = () => clientReceiving(payment).payments.get('pay_1')
    const failing = () => clientReceiving('', { status: 404 }).payments.get('pay_1')
    const finished: string[] = []

    expect(await ok()).toEqual(payment)
    expect(await ok().then(({ id }) => id)).toBe('pay_1')
    expect(await ok().finally(() => finished.push('success'))).toEqual(payment)
    expect(await failing().catch(({ name }) => name)).toBe('NotFoundError')
    await expect(failing().finally(() => finished.push('failure'))).rejects.toThrow('404')
    expect(await Promise.all([ok(), Promise.race([ok()]), Promise.resolve(ok())])).toEqual([payment, payment, payment])
    expect(finished).toEqual(['success', 'failure'])
  })

  it('settles a call if Promise.prototype.then gets its promise as `this`', async () => {
    const call: unknown = clientReceiving(payment).payments.get('pay_1')

    const settled = types.isPromise(call) ? Reflect.apply(Promise.prototype.then, call, []) : call

    expect(await settled).toEqual(payment)
  })
})
