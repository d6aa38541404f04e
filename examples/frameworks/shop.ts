// The shop of docs/guides/frameworks.md, on SQLite: the routes of a server in any framework.
import { DatabaseSync } from 'node:sqlite'
import { type ClientOptions, httpStatusOf, isPaymentsError, PaymentsClient } from 'payments-client'
import { createOrders, type Order } from 'payments-client/orders'

function openDatabase() {
  const database = new DatabaseSync(process.env['DATABASE'] ?? 'shop.db')
  database.exec('PRAGMA busy_timeout = 5000') // waits while another process writes
  return database
}

/** Creates the shop. The client reads PAYMENTS_BASE_URL and PAYMENTS_API_KEY. */
export function createShop(options: ClientOptions = {}) {
  const orders = createOrders({
    client: new PaymentsClient(options),
    database: openDatabase(),
    onChange: ({ id, state }) => console.log(`${id} is ${state}`), // update your own tables here
  })
  /** POST /orders/{id}/{action} */
  const customer = toRoute({
    pay: (id, { paymentMethodToken }) => orders.pay(id, { paymentMethodToken, amount: 5000, currencyCode: 'EUR' }),
    resume: (id, { resumeToken }) => orders.resume(id, { resumeToken }),
  })
  /** POST /staff/orders/{id}/{action} */
  const staff = toRoute({
    capture: (id, body) => orders.capture(id, body),
    refund: (id, body) => orders.refund(id, body),
  })
  /** POST /webhooks */
  const webhooks = orders.webhooks({
    secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
    onError: (error) => console.error(error),
  })
  return {
    orders,
    customer,
    staff,
    webhooks,
    /** Handles all routes, for servers with the Fetch API. */
    async fetch(request: Request): Promise<Response> {
      const pathname = new URL(request.url).pathname.replace(/\/$/, '')
      if (pathname === '/webhooks') return webhooks(request)
      if (request.method !== 'POST') return new Response('Use POST', { status: 405 })
      const [, prefix, id = '', action = ''] = /^(\/staff)?\/orders\/([^/]+)\/(\w+)$/.exec(pathname) ?? []
      const route = prefix ? staff : customer
      const { status, body } = await route(decodeURIComponent(id), action, await request.json())
      return Response.json(body, { status })
    },
  }
}

export interface Reply {
  status: number
  body: object
}

/** Returns the function of a route, which runs an action and returns the response. */
function toRoute(actions: Record<string, (id: string, body: any) => Promise<Order>>) {
  return async (id: string, action: string, body: unknown): Promise<Reply> => {
    const run = Object.hasOwn(actions, action) ? actions[action] : undefined
    if (!run) return { status: 404, body: { error: 'Not found' } }
    try {
      const { state, captured, refunded, payment } = await run(id, Object(body))
      return { status: 200, body: { state, captured, refunded, requiredAction: payment?.requiredAction } }
    } catch (error) {
      console.error(error)
      const code = isPaymentsError(error) ? error.code : 'ERR_INTERNAL'
      return { status: code === 'ERR_ORDER' ? 409 : httpStatusOf(error), body: { error: code } }
    }
  }
}

let shop: Promise<ReturnType<typeof createShop>> | undefined

/** Opens the shop on first use, so that a build can import this file without an API key. */
export const openShop = () => (shop ??= start())

async function start() {
  const created = createShop()
  const { orders } = created
  await orders.migrate()
  setInterval(() => orders.recover().catch(console.error), 30_000).unref()
  const sync = async () => [await orders.sync(), await orders.prune()]
  setInterval(() => sync().catch(console.error), 3_600_000).unref()
  return created
}
