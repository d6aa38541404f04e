import { builtinModule } from '../../core/internal/builtin.js'
import type { PaymentMethod } from '../../core/schemas/payment-method.js'
import { scenarioNames, scenarios, tokens } from '../sandbox/internal/scenarios.js'
import type { Effect } from '../sandbox/store/store.js'
import { objectIn } from './outcome.js'
import type { PaymentDetails, RecordedRequest } from './rows.js'

/**
 * Returns a vitest file that creates the same payment, replays every effect on it, and asserts its statuses.
 *
 * @param ledger All effects of the sandbox, oldest first.
 */
export function copyAsTest(details: PaymentDetails, ledger: readonly Effect[]): string {
  const { payment, history, disputes } = details
  const effects = ledger.filter(({ resourceId }) => resourceId === payment.id)
  const [creation, ...causes] = causesOf(effects, details.requests)
  const version = creation?.requestHeaders['x-api-version']
  const options = version && version !== '2021-09-27' ? `{ apiVersion: ${literal(version)} }` : ''

  const steps = effects.slice(1).map((effect, index) => stepOf(effect, objectIn(causes[index]?.requestBody)))
  const ids = [...new Set(disputes.map(({ processorDisputeId }) => processorDisputeId))]
  for (const [index, id] of ids.entries()) {
    const [opening, ...moves] = disputes.filter(({ processorDisputeId }) => processorDisputeId === id)
    const { amount, currency, reason, type } = opening ?? {}
    const name = ids.length > 1 ? `dispute${index + 1}` : 'dispute'
    const opened = `sandbox.disputes.open(payment.id, ${literal({ type, reason, amount, currency })})`
    steps.push(moves.length > 0 ? `const ${name} = ${opened}` : opened)
    for (const { status } of moves) steps.push(`sandbox.disputes.move(${name}, ${literal(status)})`)
  }
  const { amountCaptured = 0, amountRefunded = 0 } = payment.processor ?? {}
  const expected = { status: payment.status, processor: { amountCaptured, amountRefunded } }
  return `import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { expect, it } from 'vitest'

it(${literal(`repeats the payment for ${payment.orderId}`)}, async () => {
  const sandbox = createSandbox()
  const client = new PaymentsClient(sandbox.clientOptions(${options}))

  const payment = await client.payments.create(${literal(creationBody(details, creation, effects[0]))})
${steps.map((step) => `  ${step}\n`).join('')}
  const statuses = sandbox.history(payment.id).map(({ status }) => status)
  expect(statuses).toEqual(${literal(history.map(({ status }) => status))})
  expect(await client.payments.get(payment.id)).toMatchObject(${literal(expected)})
})
`
}

/**
 * Returns the request that may have caused each effect. Skips rejected requests, and requests that caused an earlier
 * effect.
 */
function causesOf(
  effects: readonly Effect[],
  requests: readonly RecordedRequest[],
): readonly (RecordedRequest | undefined)[] {
  const unused = new Set([...requests].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)))
  const isOk = ({ status = 0 }: RecordedRequest) => status >= 200 && status < 300
  const isRejected = ({ status = 0 }: RecordedRequest) => status >= 400 && status < 500
  return effects.map((effect) => {
    const candidates = [...unused].filter(
      ({ operation, requestHeaders }) =>
        operation === effect.operation && requestHeaders['x-idempotency-key'] === effect.idempotencyKey,
    )
    const cause = candidates.find(isOk) ?? candidates.find((candidate) => !isRejected(candidate))
    if (cause) unused.delete(cause)
    return cause
  })
}

/** @param body The body of the request that caused the effect, if the sandbox recorded that request. */
function stepOf({ operation, amount }: Effect, body: object | undefined): string {
  if (/^processor\.(authorize|settle|decline|fail)$/.test(operation)) return `sandbox.${operation}(payment.id)`
  if (operation === 'processor.finishRefund') {
    return `sandbox.${operation}(payment.id, '${amount === undefined ? 'FAILED' : 'SETTLED'}')`
  }
  if (operation === 'payments.resume') {
    return `await client.${operation}(payment.id, { resumeToken: sandbox.completeAction(payment.id) })`
  }
  if (/^payments\.(authorize|capture|cancel|refund|adjustAuthorization)$/.test(operation)) {
    return `await client.${operation}(payment.id, ${literal(body ?? { amount })})`
  }
  // A snapshot from another program can contain any string as the operation. The string must not become code.
  return `// The ledger has an unknown operation: ${literal(operation)}`
}

/**
 * Returns the body of the `payments.create` request, with a reusable token. Adds the payment fields that may come from
 * the client session.
 */
function creationBody(
  { payment }: PaymentDetails,
  request: RecordedRequest | undefined,
  effect: Effect | undefined,
): object {
  const { orderId, currencyCode, customerId } = payment
  const body = objectIn(request?.requestBody) ?? {}
  const amount = effect?.amount ?? payment.amount
  const authorizationType = payment.paymentMethod?.authorizationType
  const paymentMethod = authorizationType
    ? { ...(body['paymentMethod'] as object), authorizationType }
    : body['paymentMethod']
  return { ...body, paymentMethodToken: tokenOf(payment), orderId, currencyCode, amount, customerId, paymentMethod }
}

function tokenOf({ paymentMethod = {} }: PaymentDetails['payment']): string {
  const { paymentMethodToken, paymentMethodType, paymentMethodData } = paymentMethod as StoredMethod
  const name = scenarioNames.find((name) => {
    const { paymentMethodType: type, paymentMethodData: data } = scenarios[name]
    const isEqual = type === paymentMethodType && data.last4Digits === paymentMethodData?.last4Digits
    return tokens[name] === paymentMethodToken || isEqual
  })
  return tokens[name ?? 'card']
}

type StoredMethod = PaymentMethod & { paymentMethodToken?: string }

const format = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, breakLength: 100 }

/** Formats a value as JavaScript. Escapes every character that is not printable. */
function literal(value: object | string | undefined): string {
  const { inspect } = builtinModule<typeof import('node:util')>('node:util') as typeof import('node:util')
  const text = typeof value === 'object' ? inspect(JSON.parse(JSON.stringify(value)), format) : JSON.stringify(value)
  return String(text)
    .replaceAll('\n', '\n  ')
    .replace(/[^ -~\n\u00a1-\u024f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
