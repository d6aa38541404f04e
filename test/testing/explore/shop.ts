import {
  findNewRefund,
  isNewer,
  latestRefund,
  type Payment,
  type PaymentSummary,
  PaymentsClient,
  PaymentsError,
  refundsOf,
  webhooks,
} from '../../../src/index.js'
import type { ExploreOptions, StartContext } from '../../../src/testing/index.js'

export interface Order {
  readonly id: string
  readonly amount: number
  attempt: number
  state: 'open' | 'paid' | 'declined'
  paymentId?: string
  /** Milliseconds since 1970, when the customer started to pay. */
  startedAt: number
  status?: string
  seen?: Payment
  emails: number
  captured?: true
  refunds: { key: string; amount: number; transactionId?: string; isDone?: true }[]
}

export interface Storage {
  orders?: Record<string, Order>
}

/** The mistakes that the shop can make. Without a mistake, the shop follows the guides. */
export const mistakes = [
  'new key per retry',
  'key without attempt number',
  '400 for every rejected call',
  'trusts a cut-off 409',
  'charges late',
  'matches the latest refund',
  'no deduplication',
  'writes stale events',
  'captures before storing the order',
  'crashes between call and write',
  'refunds again in a job',
  'skips a page of the list',
] as const

export type Mistake = (typeof mistakes)[number]

const retryMs = 1_000
const customerLeavesAfterMs = 60_000

/** A shop that takes payments, ships, refunds and receives webhooks. */
export function createShop(
  { clientOptions, storage, webhookSecret, receive, clock }: StartContext<Storage>,
  mistake?: Mistake,
) {
  // With `maxRetries: 0`, one fault is enough for an unknown outcome.
  const client = new PaymentsClient({ ...clientOptions, maxRetries: 0, timeout: 10_000 })
  storage.orders ??= {}
  const { orders } = storage
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))
  let retries = 0

  receive(
    webhooks.createHandler({
      secret: webhookSecret,
      deduplicate: mistake !== 'no deduplication',
      on: {
        'PAYMENT.STATUS': ({ payment }, _context) => {
          const order = orders[payment.orderId ?? '']
          if (!order) return
          const isOlder = order.seen !== undefined && !isNewer(payment, order.seen)
          if (isOlder && mistake !== 'writes stale events' && mistake !== 'no deduplication') return
          order.seen = payment
          order.status = payment.status ?? ''
          if (payment.status === 'SETTLED') order.emails += 1
        },
      },
    }),
  )

  async function pay(order: Order, token: string): Promise<'paid' | 'declined' | 'again' | 'new attempt'> {
    const { id, amount } = order
    const number = mistake === 'key without attempt number' ? '' : `-${order.attempt}`
    const retry = mistake === 'new key per retry' ? `-retry-${retries++}` : ''
    try {
      const payment = await client.payments.create(
        { paymentMethodToken: token, orderId: id, currencyCode: 'EUR', amount },
        { idempotencyKey: `pay-${id}${number}${retry}` },
      )
      if (payment.status === 'DECLINED') return 'declined'
      order.paymentId = payment.id
      order.status ??= payment.status ?? ''
      order.state = 'paid'
      return 'paid'
    } catch (error) {
      if (!(error instanceof PaymentsError)) throw error
      const { httpStatus, errorId, paymentId } = error as { httpStatus?: number; errorId?: string; paymentId?: string }
      if (errorId?.endsWith('AlreadyExists') && paymentId) {
        const payment = await client.payments.get(paymentId)
        if (payment.status === 'DECLINED') return 'declined'
        order.paymentId = paymentId
        order.state = 'paid'
        return 'paid'
      }
      if (mistake === '400 for every rejected call' && error.outcome === 'rejected') return 'new attempt'
      if (mistake === 'trusts a cut-off 409' && httpStatus === 409 && !errorId) return 'new attempt'
      return 'again'
    }
  }

  return {
    wait,
    /** Pays an order. The customer tries again while the page is open. */
    async checkout(id: string, amount: number, tokens: readonly string[]) {
      const order: Order = orders[id] ?? {
        id,
        amount,
        attempt: 1,
        state: 'open',
        startedAt: clock.now(),
        emails: 0,
        refunds: [],
      }
      const storesLate = mistake === 'crashes between call and write' || mistake === 'captures before storing the order'
      if (!storesLate) orders[id] = order
      let card = 0
      for (let tries = 0; tries < 6 && order.state === 'open'; tries++) {
        const result = await pay(order, tokens[card] as string)
        if (result === 'declined') card += 1
        if (result === 'declined' || result === 'new attempt') order.attempt += 1
        if (card === tokens.length) order.state = 'declined'
        if (result === 'again') await wait(retryMs)
      }
      if (mistake === 'captures before storing the order') await capture(order)
      orders[id] = order
    },
    async ship(id: string) {
      if (orders[id]) await capture(orders[id])
    },
    /** Records the decision to refund. A background job makes the refund. */
    refund(id: string, key: string, amount: number) {
      const order = orders[id]
      if (order?.captured && !order.refunds.some((refund) => refund.key === key)) order.refunds.push({ key, amount })
    },
    async runJobs() {
      for (const order of Object.values(orders)) {
        if (order.state === 'open') await finish(order)
        if (order.state === 'paid' && order.paymentId && !order.captured) await this.ship(order.id)
        // A failed refund must not delay other refunds. The next run of the job retries the failed refund.
        for (const refund of order.refunds) if (!refund.isDone) await makeRefund(order, refund).catch(() => {})
      }
    },
  }

  async function capture(order: Order) {
    if (!order.paymentId || order.captured) return
    const payment = await client.payments.capture(order.paymentId, {}, { idempotencyKey: `capture-${order.id}` })
    order.captured = true
    if (mistake === 'captures before storing the order') order.status = payment.status ?? ''
  }

  async function finish(order: Order) {
    if (mistake === 'charges late') return void (await pay(order, 'tok_card'))
    const isPaid = (status = '') => ['AUTHORIZED', 'SETTLING', 'SETTLED'].includes(status)
    const payment = (await paymentsOf(order)).find(({ status }) => isPaid(status))
    if (payment) {
      order.paymentId = payment.id
      order.state = 'paid'
    } else if (clock.now() > order.startedAt + customerLeavesAfterMs * 5) order.state = 'declined'
  }

  async function paymentsOf({ id, startedAt }: Order): Promise<readonly PaymentSummary[]> {
    if (mistake === 'skips a page of the list') {
      const first = await client.payments.list({ orderId: id, limit: 1 })
      const second = await first.nextPage()
      const third = await second?.nextPage()
      return [...first.data, ...(third?.data ?? [])]
    }
    const query = { orderId: id, since: new Date(startedAt), until: new Date(clock.now()) }
    const result = await client.payments.reconcile(query)
    return result.status === 'not_found' ? [] : result.payments
  }

  async function makeRefund(order: Order, refund: Order['refunds'][number]) {
    const { paymentId = '' } = order
    const before = await client.payments.get(paymentId)
    const idempotencyKey = mistake === 'refunds again in a job' ? `${refund.key}-${clock.now()}` : refund.key
    const known = new Set(order.refunds.map(({ transactionId }) => transactionId))
    let after = before
    try {
      after = await client.payments.refund(paymentId, { amount: refund.amount }, { idempotencyKey })
    } catch (error) {
      if (!(error instanceof PaymentsError) || !(error as { errorId?: string }).errorId?.endsWith('AlreadyExists'))
        throw error
      after = await client.payments.get(paymentId)
    }
    const own =
      mistake === 'matches the latest refund'
        ? latestRefund(after)?.processorTransactionId
        : (
            findNewRefund(before, after, refund.amount) ??
            refundsOf(after).find(({ amount, transactionId }) => amount === refund.amount && !known.has(transactionId))
          )?.transactionId
    if (own !== undefined) refund.transactionId = own
    refund.isDone = true
  }
}

type Shop = ReturnType<typeof createShop>

/** Explores one order that is paid, shipped and refunded twice. */
export function explorationOf(mistake?: Mistake): ExploreOptions<Shop, Storage> {
  return {
    start: (context) => createShop(context, mistake),
    scenario: async (shop, { sandbox }) => {
      await shop.checkout('order-17', 5000, [sandbox.tokens.declined, sandbox.tokens.card])
      await shop.ship('order-17')
      shop.refund('order-17', 'refund-1', 1000)
      shop.refund('order-17', 'refund-2', 700)
    },
    // The shop's background jobs run every ten minutes.
    settle: async (shop) => {
      await shop.wait(600_000)
      await shop.runJobs()
    },
    check: async (end) => {
      const difference = await differenceIn(end)
      if (difference !== undefined) throw new Error(difference)
    },
  }
}

/** Returns the first difference between the shop's records and the service's records. */
export async function differenceIn({
  sandbox,
  ledger,
  storage,
}: Parameters<NonNullable<ExploreOptions<Shop, Storage>['check']>>[0]) {
  const client = new PaymentsClient(sandbox.clientOptions())
  for (const order of Object.values(storage.orders ?? {})) {
    const effects = ledger.filter(({ operation }) => operation === 'payments.create')
    const created = await Promise.all(effects.map(({ resourceId }) => client.payments.get(resourceId)))
    const paid = created.find(({ status }) => status !== 'DECLINED')
    if (paid && order.paymentId !== paid.id) return `${order.id} is not paid, but ${paid.amount} were charged`
    const late = effects.find(({ at }) => Date.parse(at) > order.startedAt + customerLeavesAfterMs)
    if (late) return `${order.id} was charged after the customer left`
    if (order.attempt > 2 && effects.length < 2) return `${order.id} was declined without a second attempt`
    if (order.emails > 1) return `${order.emails} e-mails were sent for ${order.id}`
    if (paid && order.status !== paid.status) return `${order.id} is ${order.status}, but its payment is ${paid.status}`
    const refunded = paid ? refundsOf(paid) : []
    for (const refund of order.refunds) {
      const own = refunded.filter(({ transactionId }) => transactionId === refund.transactionId)
      if (own[0]?.amount !== refund.amount) return `${refund.key} has the transaction of another refund`
    }
    const sum = refunded.reduce((total, { amount = 0 }) => total + amount, 0)
    const decided = order.refunds.reduce((total, { amount }) => total + amount, 0)
    if (sum !== decided) return `${sum} were refunded instead of ${decided}`
  }
  if (ledger.length > 0 && Object.keys(storage.orders ?? {}).length === 0) return 'a payment has no order'
  return undefined
}
