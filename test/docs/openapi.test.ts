import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allOperations } from '../../src/core/contract/operations.js'
import { carts } from '../../src/core/contract/version.js'
import { operationCase } from '../support/operations.js'

const retries = { safe: 'always', keyed: 'same-key', repeatable: 'always', once: 'never' }

const movesMoney = [
  'payments.create',
  'payments.authorize',
  'payments.capture',
  'payments.cancel',
  'payments.refund',
  'payments.adjustAuthorization',
  'payments.resume',
  'loyalty.transactions.create',
]

describe.each(Object.keys(carts))('the OpenAPI document of version %s', (version) => {
  const { paths } = JSON.parse(readFileSync(`docs/openapi/${version}.json`, 'utf8'))

  it.each(allOperations())('documents the safety rules of $name', ({ name, method, path, onceIf, scope }) => {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const { class: retryClass } = operationCase(name)

    expect(operation).toMatchObject({
      operationId: name,
      'x-retry': onceIf ? 'unless-verify' : retries[retryClass],
      'x-idempotency-key': retryClass === 'keyed',
      'x-moves-money': movesMoney.includes(name),
      'x-scope': scope ?? null,
    })
  })
})
