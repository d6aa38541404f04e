import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RequestValidationError } from '../../src/index.js'
import { calls, contractOperations } from '../support/calls.js'
import { operations as called } from '../support/operations.js'
import { aClient, aNewKey, sent } from '../support/recording-fetch.js'

describe('the operations', () => {
  it('are all in the table of calls', () => {
    expect(Object.keys(calls).sort()).toEqual(
      contractOperations()
        .map(({ name }) => name)
        .sort(),
    )
    expect(Object.keys(calls)).toHaveLength(21)
  })

  it.each(Object.keys(calls))('have tests of their own: %s', (name) => {
    const namespace = name.replace(/\..*/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

    const tests = readFileSync(new URL(`../resources/${namespace}.test.ts`, import.meta.url), 'utf8')

    expect(tests).toContain(`describe('${name}', `)
  })
})

describe.each(contractOperations())('the entry of $name', (operation) => {
  const { name, method, path, summary } = operation

  it('has a line for the reference', () => {
    expect(summary).toMatch(/^[A-Z].{8,}[^.]$/)
  })

  it('says what may be repeated', () => {
    expect(operation.class).toBe(called.find((each) => each.name === name)?.class)
    expect(operation.class === 'safe').toBe(method === 'GET')
  })

  it('knows the parameter that names a payment', () => {
    expect(operation.paymentParam).toBe(path.match(/^\/(?:observability\/)?payments\/:(\w+)/)?.[1])
  })

  it('is beta where the specification says so', () => {
    expect(operation.beta).toBe(/^(loyalty|observability)\./.test(name) || undefined)
  })
})

describe.each(Object.entries(calls))('%s', (_name, { call, line, body, keyed, resendable, answer }) => {
  it('makes one request, with these headers and no others', async () => {
    const { client, requests } = aClient([answer])

    await call(client)

    expect(requests).toEqual([sent(line, { body, ...(keyed && { idempotencyKey: aNewKey }) })])
  })

  it(keyed ? 'takes an idempotency key' : 'refuses an idempotency key', async () => {
    const { client, requests } = aClient([answer])

    const calling = Promise.resolve(call(client, { idempotencyKey: 'key-1' }))

    if (keyed) {
      await calling
      expect(requests).toEqual([sent(line, { body, idempotencyKey: 'key-1' })])
    } else {
      await expect(calling).rejects.toThrow(RequestValidationError)
      await expect(calling).rejects.toThrow(/options\.idempotencyKey is not taken by/)
      expect(requests).toEqual([])
    }
  })

  it(resendable ? 'may be sent again if the caller allows it' : 'refuses `resend`', async () => {
    const { client, requests } = aClient([answer])

    const calling = Promise.resolve(call(client, { resend: true }))

    if (resendable) {
      await calling
      expect(requests).toHaveLength(1)
    } else {
      await expect(calling).rejects.toThrow(RequestValidationError)
      expect(requests).toEqual([])
    }
  })

  it('refuses an option that it does not know', async () => {
    const { client, requests } = aClient([answer])

    const calling = Promise.resolve(call(client, { maxRetry: 1 }))

    await expect(calling).rejects.toMatchObject({ code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent', attempts: [] })
    await expect(calling).rejects.toThrow('options.maxRetry is not a known name: did you mean "maxRetries"?')
    expect(requests).toEqual([])
  })

  it('adds the headers of the caller', async () => {
    const { client, requests } = aClient([answer])

    await call(client, { headers: { 'X-Trace': 'trace-1' } })

    expect(requests[0]?.headers).toMatchObject({ 'x-trace': 'trace-1', 'x-api-version': '2021-09-27' })
  })
})

describe('the idempotency header', () => {
  it('goes out on exactly five operations', () => {
    const keyed = Object.entries(calls).flatMap(([name, { keyed }]) => (keyed ? [name] : []))

    expect(keyed).toEqual([
      'payments.create',
      'payments.authorize',
      'payments.capture',
      'payments.cancel',
      'payments.refund',
    ])
  })
})
