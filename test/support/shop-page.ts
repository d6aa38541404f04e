import { readFileSync } from 'node:fs'
import type { PaymentsClient } from 'payments-client'
import type { Fault, Sandbox } from 'payments-client/sandbox'

/** Sends a request to the shop's server. */
export type SendToShop = (path: string, init: RequestInit) => Promise<Response>

interface Shown {
  /** The status of the server's response. Absent if no response arrived. */
  readonly httpStatus?: number
  readonly state?: string
}

/** A customer's browser with the shop's page. */
export interface ShopPage {
  pay(orderId: string, token?: string): Promise<Shown>
  /** Pays again and again, as the page allows, until the result is known. Returns the last response. */
  payUntilKnown(orderId: string, token?: string, wait?: () => Promise<void>): Promise<Shown>
}

/**
 * Opens a page with the function `pay` from docs/guides/frameworks.md. The customer completes each action that a payment
 * requires.
 */
export function openShopPage(
  send: SendToShop,
  { ledger, completeAction }: Pick<Sandbox, 'ledger' | 'completeAction'>,
): ShopPage {
  const text = readFileSync('docs/guides/frameworks.md', 'utf8')
  const [, code] = /^```js\n(.*?^async function pay\(.*?)^```$/ms.exec(text) ?? []
  const open = new Function('fetch', 'completeAction', `${code}\nreturn pay`)
  const latestPayment = () => ledger.findLast(({ operation }) => operation === 'payments.create')?.resourceId ?? ''
  const run: (orderId: string, token: string) => Promise<Shown> = open(send, () => completeAction(latestPayment()))
  const pay = (orderId: string, token = 'tok_card') => run(orderId, token)
  const payUntilKnown: ShopPage['payUntilKnown'] = async (orderId, token, wait) => {
    for (let tries = 1; ; tries++) {
      const shown = await pay(orderId, token)
      if (shown.state !== 'pending' || tries === 20) return shown
      await wait?.()
    }
  }
  return { pay, payUntilKnown }
}

/** Requests a delay above 60 s, after which the client throws immediately instead of waiting. */
const headers = { 'retry-after': '120' }
const html = { headers: { 'content-type': 'text/html' }, body: '<html><h1>Forbidden</h1></html>' }
const error = (errorId: string) => ({ error: { errorId, description: 'Not possible' } })

/** Faulty responses to a retry. */
const secondResponses: readonly Fault[] = [
  { status: 429, headers, body: error('TooManyRequests') },
  { status: 401, body: error('Unauthorized') },
  { status: 403, ...html },
  { status: 408, headers },
  { status: 503, headers },
]

/** Conflict responses that are too damaged to show that the key was already used. */
const unreadableConflicts: readonly Fault[] = [
  { status: 409, body: error('IdempotencyKeyAlreadyExists'), at: 20 },
  { status: 409, body: '' },
  { status: 409, ...html },
]

const requestsPerCall = 3

/** Returns the idempotency key of the first attempt to pay an order. */
const firstKey = (order: string) => `pay-${order}-1`

/** Returns the keys of the first attempts, sorted. */
export const firstKeys = (orders: readonly string[]): string[] => orders.map(firstKey).sort()

/**
 * Loses every response to one call per order. Then the customer retries, and the service or a firewall rejects the
 * request. Returns the states that the page received.
 */
export async function retryAfterLostResponses(page: ShopPage, sandbox: Sandbox) {
  const orders = secondResponses.map(({ status }) => `lost${status}`)
  sandbox.faults.add({
    operation: 'payments.create',
    at: 'after',
    reset: true,
    times: requestsPerCall * orders.length,
  })
  const first = await Promise.all(orders.map((order) => page.pay(order)))
  const second: Shown[] = []
  for (const [index, fault] of secondResponses.entries()) {
    sandbox.faults.add({ operation: 'payments.create', ...fault })
    second.push(await page.pay(orders[index] as string))
  }
  const last = await Promise.all(orders.map((order) => page.payUntilKnown(order)))
  return { orders, received: [first, second, last].map((responses) => responses.map(({ state }) => state)) }
}

/**
 * Pays for orders that another process has already charged with the same keys. The conflict responses are unreadable.
 * Returns the states that the page received.
 */
export async function retryAfterAnotherProcess(page: ShopPage, sandbox: Sandbox, other: PaymentsClient) {
  const orders = unreadableConflicts.map((_, index) => `charged${index}`)
  const first: Shown[] = []
  for (const [index, fault] of unreadableConflicts.entries()) {
    const orderId = orders[index] as string
    const body = { paymentMethodToken: sandbox.tokens.card, orderId, currencyCode: 'EUR', amount: 5000 }
    await other.payments.create(body, { idempotencyKey: firstKey(orderId) })
    sandbox.faults.add({ operation: 'payments.create', times: requestsPerCall, ...fault })
    first.push(await page.pay(orderId))
  }
  const last = await Promise.all(orders.map((order) => page.payUntilKnown(order)))
  return { orders, received: [first, last].map((responses) => responses.map(({ state }) => state)) }
}
