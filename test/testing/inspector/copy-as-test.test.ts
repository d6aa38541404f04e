import { expect, it } from 'vitest'
import type { Effect } from '../../../src/testing/index.js'
import { copyAsTest } from '../../../src/testing/inspector/copy-as-test.js'
import type { PaymentDetails } from '../../../src/testing/inspector/rows.js'

it('“Copy as test” writes untrusted values only as string literals, never as code', () => {
  const evil = `'); globalThis.evil = 1; ('\n*/ globalThis.evil = 2 //\u2028`
  const at = '2026-01-31T12:00:00.000Z'
  const details = {
    payment: {
      id: 'pay_1',
      orderId: evil,
      amount: evil,
      currencyCode: evil,
      status: evil,
      processor: { amountCaptured: evil },
    },
    history: [{ status: evil, at }],
    requests: [
      {
        id: 'request_1',
        at,
        operation: 'payments.create',
        status: 200,
        requestHeaders: { 'x-api-version': evil },
        requestBody: JSON.stringify({ [evil]: evil, metadata: { toString: evil, __proto__: evil } }),
      },
    ],
    deliveries: [],
    disputes: [
      { processorDisputeId: evil, status: evil, reason: evil, amount: evil },
      { processorDisputeId: evil, status: evil },
    ],
  }
  const operations = ['payments.create', evil, `payments.cancel(1);evil()`, 'processor.constructor', 'payments.capture']
  const ledger = operations.map((operation) => ({ operation, resourceId: 'pay_1', amount: evil, at }))

  const code = copyAsTest(details as unknown as PaymentDetails, ledger as unknown as Effect[])

  const withoutStrings = code.replace(/(['"`])(?:(?!\1)[^\\\n]|\\.)*\1/g, "''")
  expect(withoutStrings).not.toMatch(/evil|constructor/)
  expect(withoutStrings.match(/\/\/.*/g)).toEqual(Array(3).fill("// The ledger has an unknown operation: ''"))
  expect(withoutStrings).toMatch(/await client\.payments\.capture\(payment\.id, \{ amount: '' \}\)/)
})
