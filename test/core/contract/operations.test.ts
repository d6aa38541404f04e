import { describe, expect, it } from 'vitest'
import { allOperations } from '../../../src/core/contract/operations.js'
import { aClient, aNewKey, sent } from '../../support/clients.js'
import { operationCase, operations } from '../../support/operations.js'

it('the test cases cover all 21 operations', () => {
  const names = allOperations().map(({ name }) => name)

  expect(operations.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(names).toHaveLength(21)
})

describe.each(allOperations())('the operation $name in the contract', (operation) => {
  const { name, method, summary } = operation

  it('defines a summary for the reference documentation', () => {
    expect(summary).toMatch(/^[A-Z].{8,}[^.]$/)
  })

  it('defines the expected retry class', () => {
    expect(operation.class).toBe(operationCase(name).class)
    expect(operation.class === 'safe').toBe(method === 'GET')
  })

  it('marks the operation as beta if the specification marks the endpoint as beta', () => {
    expect(operation.beta).toBe(/^(loyalty|observability)\./.test(name) || undefined)
  })
})

describe.each(operations)('$name', ({ call, line, body, class: retryClass, resendable, response }) => {
  const keyed = retryClass === 'keyed'

  it('sends one request with exactly the expected headers', async () => {
    const { client, requests } = aClient([response])

    await call(client)

    expect(requests).toEqual([sent(line, { body, ...(keyed && { idempotencyKey: aNewKey }) })])
  })

  it(resendable ? 'accepts the option resend' : 'rejects the option resend', async () => {
    const { client, requests } = aClient([response])

    const result = Promise.resolve(call(client, { resend: true })).catch((error) => error)

    expect(await result).toMatchObject(resendable ? {} : { code: 'ERR_REQUEST_VALIDATION', outcome: 'not_sent' })
    expect(requests).toHaveLength(resendable ? 1 : 0)
  })
})
