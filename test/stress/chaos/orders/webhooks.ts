import { setTimeout as sleep } from 'node:timers/promises'
import type { Sandbox } from '../../../../src/testing/index.js'

/** The processes of the shop, and whether all webhooks are lost. */
export interface Receivers {
  readonly ports: readonly number[]
  readonly isLost: boolean
}

const lossRate = 0.1
const duplicateRate = 0.1
const maxDelayMs = 3_000

/**
 * Delivers the webhooks of a sandbox to random processes of the shop: some are lost, some arrive twice, and all of them
 * arrive late and in random order. The service retries a webhook until a process accepts it.
 */
export function deliverWebhooks(sandbox: Sandbox, receivers: () => Receivers): void {
  async function deliver(body: string, headers: Record<string, string>): Promise<void> {
    await sleep(Math.random() ** 4 * maxDelayMs)
    for (;;) {
      const { ports, isLost } = receivers()
      if (isLost) return
      const port = ports[Math.floor(Math.random() * ports.length)]
      const init = { method: 'POST', body, headers, signal: AbortSignal.timeout(10_000) }
      const response = port === undefined ? undefined : await fetch(`http://127.0.0.1:${port}/`, init).catch(() => {})
      await response?.arrayBuffer().catch(() => {})
      if (response?.status === 200) return
      await sleep(100 + Math.random() * 400)
    }
  }

  sandbox.webhooks.subscribe(async (request) => {
    const body = await request.text()
    const headers = Object.fromEntries(request.headers)
    const copies = Math.random() < lossRate ? 0 : Math.random() < duplicateRate ? 2 : 1
    for (let copy = 0; copy < copies; copy++) void deliver(body, headers)
    return new Response()
  })
}

/** Settles payments, and finishes refunds, some of which fail, as a processor does later. */
export function runProcessor(sandbox: Sandbox): void {
  let next = 0
  setInterval(() => {
    for (; next < sandbox.ledger.length; next++) {
      const { operation, resourceId } = sandbox.ledger[next] as (typeof sandbox.ledger)[number]
      const status = Math.random() < 0.2 ? 'FAILED' : 'SETTLED'
      const finish = {
        'payments.refund': () => sandbox.processor.finishRefund(resourceId, status),
        'payments.capture': () => settleIfCaptured(sandbox, resourceId),
      }[operation]
      if (finish) setTimeout(finish, Math.random() * 2_000)
    }
  }, 100).unref()
}

/** Settles a payment that is being settled, if its whole amount is captured. */
function settleIfCaptured(sandbox: Sandbox, paymentId: string): void {
  const amounts = new Map<string, number>()
  for (const { operation, resourceId, amount = 0 } of sandbox.ledger) {
    if (resourceId === paymentId) amounts.set(operation, (amounts.get(operation) ?? 0) + amount)
  }
  const isCaptured = amounts.get('payments.capture') === amounts.get('payments.create')
  if (isCaptured && sandbox.history(paymentId).at(-1)?.status === 'SETTLING') sandbox.processor.settle(paymentId)
}
