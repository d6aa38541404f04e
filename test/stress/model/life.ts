/**
 * A model of a payment, from the specification and, if that leaves a case open, the sandbox's documentation. It is written
 * independently of the sandbox's code, so that the two check each other.
 */

export type Status = 'PENDING' | 'AUTHORIZED' | 'SETTLING' | 'SETTLED' | 'DECLINED' | 'FAILED' | 'CANCELLED'

/** The allowed transitions. Specification: States and transitions. */
export const allowedMoves: readonly string[] = [
  'PENDING > AUTHORIZED',
  'PENDING > DECLINED',
  'PENDING > FAILED',
  'PENDING > CANCELLED',
  'AUTHORIZED > SETTLING',
  'AUTHORIZED > SETTLED',
  'AUTHORIZED > FAILED',
  'AUTHORIZED > CANCELLED',
  'SETTLING > SETTLED',
  'SETTLING > FAILED',
  'SETTLING > CANCELLED',
]

/** How a scenario differs from `card`. */
interface Behaviour {
  onCreate?: Status
  /** The status after a resume. The payment waits for the customer first. */
  onResume?: Status
  onCapture?: Status
  onRefund?: RefundStatus
  refuses?: 'partial captures' | 'voids'
  adjusts?: true
}

export const behaviours = {
  card: {},
  declined: { onCreate: 'DECLINED' },
  softDecline: { onCreate: 'DECLINED' },
  failed: { onCreate: 'FAILED' },
  requires3ds: { onCreate: 'PENDING', onResume: 'AUTHORIZED' },
  fails3ds: { onCreate: 'PENDING', onResume: 'DECLINED' },
  pending: { onCreate: 'PENDING' },
  slowSettlement: { onCapture: 'SETTLING' },
  estimated: { adjusts: true },
  failsOnCapture: { onCapture: 'FAILED' },
  fullCaptureOnly: { refuses: 'partial captures' },
  cancelFails: { refuses: 'voids' },
  refundFails: { onRefund: 'FAILED' },
  instantRefund: { onRefund: 'SETTLED' },
  verificationFails: {},
  paypal: {},
  klarna: { onCapture: 'SETTLING' },
} satisfies Record<string, Behaviour>

export type ScenarioName = keyof typeof behaviours

export type RefundStatus = 'PENDING' | 'SETTLED' | 'FAILED'

export interface Refund {
  readonly amount: number
  readonly status: RefundStatus
}

/** The state of one payment. Plain data, so that a copy is a snapshot. */
export interface Life {
  readonly id: string
  readonly scenario: ScenarioName
  readonly isEstimate: boolean
  /** When it was created, in milliseconds of the sandbox's clock. */
  readonly createdAt: number
  status: Status
  amount: number
  captured: number
  isCaptureClosed: boolean
  /** In the order of the payment's transactions: a refund that ends becomes the most recent one. */
  refunds: Refund[]
  awaitsCustomer: boolean
  /** The token from the customer's last action, until it is used. */
  resumeToken?: string | undefined
  /** The expected events of the payment, in order. */
  told: string[]
}

/** The ledger entry of an allowed move. */
export interface Effect {
  amount?: number
}

/** The result of a request or an event at the processor. `undefined` if it is rejected, without a change. */
export type Verdict = Effect | undefined

export function begin(facts: Pick<Life, 'id' | 'scenario' | 'isEstimate' | 'createdAt'> & { amount: number }): Life {
  const { onCreate = 'AUTHORIZED', onResume }: Behaviour = behaviours[facts.scenario]
  return {
    ...facts,
    status: onCreate,
    captured: 0,
    isCaptureClosed: false,
    refunds: [],
    awaitsCustomer: onResume !== undefined,
    told: [onCreate],
  }
}

export function authorize(life: Life): Verdict {
  if (life.status !== 'PENDING') return undefined
  move(life, 'AUTHORIZED')
  return { amount: life.amount }
}

export function capture(life: Life, body: { amount?: number; final?: boolean }): Verdict {
  const { onCapture = 'SETTLED', refuses }: Behaviour = behaviours[life.scenario]
  const left = life.amount - life.captured
  const { amount = left } = body
  const isAllowed =
    ['AUTHORIZED', 'SETTLING', 'SETTLED'].includes(life.status) &&
    !life.isCaptureClosed &&
    amount <= left &&
    (amount > 0 || life.amount === 0) &&
    (amount === life.amount || refuses !== 'partial captures')
  if (!isAllowed) return undefined
  if (onCapture === 'FAILED') {
    move(life, 'FAILED')
    return {}
  }
  life.captured += amount
  life.isCaptureClosed = body.final === true || life.captured === life.amount
  if (life.status === 'AUTHORIZED') move(life, onCapture)
  return { amount }
}

export function cancel(life: Life): Verdict {
  const { refuses }: Behaviour = behaviours[life.scenario]
  const isBeforeSettled = ['PENDING', 'AUTHORIZED', 'SETTLING'].includes(life.status)
  if (!isBeforeSettled || refunded(life) > 0 || refuses === 'voids') return undefined
  life.captured = 0
  move(life, 'CANCELLED')
  return {}
}

export function refund(life: Life, body: { amount?: number }): Verdict {
  const left = life.captured - refunded(life)
  const { amount = left } = body
  if (!['SETTLING', 'SETTLED'].includes(life.status) || amount === 0 || amount > left) return undefined
  const { onRefund = 'PENDING' }: Behaviour = behaviours[life.scenario]
  life.refunds.push({ amount, status: onRefund })
  if (onRefund !== 'PENDING') tellOfRefund(life)
  return { amount }
}

export function adjustAuthorization(life: Life, { amount }: { amount: number }): Verdict {
  const { adjusts }: Behaviour = behaviours[life.scenario]
  if (life.status !== 'AUTHORIZED' || !life.isEstimate || !adjusts) return undefined
  life.amount = amount
  return { amount }
}

export function resume(life: Life, { resumeToken }: { resumeToken: string }): Verdict {
  const { onResume }: Behaviour = behaviours[life.scenario]
  if (life.status !== 'PENDING' || resumeToken !== life.resumeToken || onResume === undefined) return undefined
  life.resumeToken = undefined
  move(life, onResume)
  return {}
}

/** Events at the processor. */
export const happenings = {
  authorize(life: Life): Verdict {
    if (life.status !== 'PENDING' || life.awaitsCustomer) return undefined
    move(life, 'AUTHORIZED')
    return { amount: life.amount }
  },

  settle(life: Life): Verdict {
    if (life.status !== 'AUTHORIZED' && life.status !== 'SETTLING') return undefined
    const isCaptured = life.status === 'AUTHORIZED'
    if (isCaptured) {
      life.captured = life.amount
      life.isCaptureClosed = true
    }
    move(life, 'SETTLED')
    return isCaptured ? { amount: life.amount } : {}
  },

  decline(life: Life): Verdict {
    if (life.status !== 'PENDING') return undefined
    move(life, 'DECLINED')
    return {}
  },

  fail(life: Life): Verdict {
    if (!['PENDING', 'AUTHORIZED', 'SETTLING'].includes(life.status) || refunded(life) > 0) return undefined
    life.captured = 0
    move(life, 'FAILED')
    return {}
  },

  refundSettles: (life: Life) => finishRefund(life, 'SETTLED'),
  refundFails: (life: Life) => finishRefund(life, 'FAILED'),
}

/** Returns the sum of succeeded and pending refunds. */
export function refunded({ refunds }: Life): number {
  return refunds.filter(({ status }) => status !== 'FAILED').reduce((sum, { amount }) => sum + amount, 0)
}

function finishRefund(life: Life, status: RefundStatus): Verdict {
  const pending = life.refunds.find((refund) => refund.status === 'PENDING')
  if (!pending) return undefined
  life.refunds = [...life.refunds.filter((refund) => refund !== pending), { amount: pending.amount, status }]
  tellOfRefund(life)
  return status === 'SETTLED' ? { amount: pending.amount } : {}
}

function move(life: Life, status: Status): void {
  life.status = status
  life.told.push(status)
  if (status !== 'PENDING') life.awaitsCustomer = false
}

function tellOfRefund(life: Life): void {
  const { amount, status } = life.refunds.at(-1) as Refund
  life.told.push(`refund of ${amount} ${status}`)
}
