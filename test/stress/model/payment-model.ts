/**
 * A model of a payment, according to the specification. For behaviour that the specification does not define, the model
 * follows the sandbox's documentation.
 *
 * The model shares no code with the sandbox, so a mistake in one of them causes a difference.
 */

export type Status = 'PENDING' | 'AUTHORIZED' | 'SETTLING' | 'SETTLED' | 'DECLINED' | 'FAILED' | 'CANCELLED'

/** The transitions in the specification's section "States and transitions". */
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

/** The differences between a scenario and the scenario `card`. */
interface Behaviour {
  onCreate?: Status
  /** The status after a resume. A payment whose scenario has this field first waits for the customer. */
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

/** The state of a payment, as plain data that `structuredClone` can copy. */
export interface ModelPayment {
  readonly id: string
  readonly scenario: ScenarioName
  readonly isEstimate: boolean
  /** The creation time, in milliseconds since the start of the sandbox's clock. */
  readonly createdAt: number
  status: Status
  amount: number
  captured: number
  isCaptureClosed: boolean
  /** The refunds in the order of the transactions. A refund moves to the end when it becomes final. */
  refunds: Refund[]
  awaitsCustomer: boolean
  /** The `resumeToken` of the customer's last action. Absent after the token was used. */
  resumeToken?: string | undefined
  /** The expected events of the payment, in order. */
  told: string[]
}

/** The expected ledger entry of an allowed request or event. */
export interface Effect {
  amount?: number
}

/** The effect of a request or processor event, or `undefined` if the sandbox rejects the request or event. */
export type Verdict = Effect | undefined

export function begin(
  facts: Pick<ModelPayment, 'id' | 'scenario' | 'isEstimate' | 'createdAt'> & { amount: number },
): ModelPayment {
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

export function authorize(payment: ModelPayment): Verdict {
  if (payment.status !== 'PENDING') return undefined
  move(payment, 'AUTHORIZED')
  return { amount: payment.amount }
}

export function capture(payment: ModelPayment, body: { amount?: number; final?: boolean }): Verdict {
  const { onCapture = 'SETTLED', refuses }: Behaviour = behaviours[payment.scenario]
  const left = payment.amount - payment.captured
  const { amount = left } = body
  const isAllowed =
    ['AUTHORIZED', 'SETTLING', 'SETTLED'].includes(payment.status) &&
    !payment.isCaptureClosed &&
    amount <= left &&
    (amount > 0 || payment.amount === 0) &&
    (amount === payment.amount || refuses !== 'partial captures')
  if (!isAllowed) return undefined
  if (onCapture === 'FAILED') {
    move(payment, 'FAILED')
    return {}
  }
  payment.captured += amount
  payment.isCaptureClosed = body.final === true || payment.captured === payment.amount
  if (payment.status === 'AUTHORIZED') move(payment, onCapture)
  return { amount }
}

export function cancel(payment: ModelPayment): Verdict {
  const { refuses }: Behaviour = behaviours[payment.scenario]
  const isBeforeSettled = ['PENDING', 'AUTHORIZED', 'SETTLING'].includes(payment.status)
  if (!isBeforeSettled || refunded(payment) > 0 || refuses === 'voids') return undefined
  payment.captured = 0
  move(payment, 'CANCELLED')
  return {}
}

export function refund(payment: ModelPayment, body: { amount?: number }): Verdict {
  const left = payment.captured - refunded(payment)
  const { amount = left } = body
  if (!['SETTLING', 'SETTLED'].includes(payment.status) || amount === 0 || amount > left) return undefined
  const { onRefund = 'PENDING' }: Behaviour = behaviours[payment.scenario]
  payment.refunds.push({ amount, status: onRefund })
  if (onRefund !== 'PENDING') tellOfRefund(payment)
  return { amount }
}

export function adjustAuthorization(payment: ModelPayment, { amount }: { amount: number }): Verdict {
  const { adjusts }: Behaviour = behaviours[payment.scenario]
  if (payment.status !== 'AUTHORIZED' || !payment.isEstimate || !adjusts) return undefined
  payment.amount = amount
  return { amount }
}

export function resume(payment: ModelPayment, { resumeToken }: { resumeToken: string }): Verdict {
  const { onResume }: Behaviour = behaviours[payment.scenario]
  if (payment.status !== 'PENDING' || resumeToken !== payment.resumeToken || onResume === undefined) return undefined
  payment.resumeToken = undefined
  move(payment, onResume)
  return {}
}

/** Events that can happen at the processor. */
export const processorEvents = {
  authorize(payment: ModelPayment): Verdict {
    if (payment.status !== 'PENDING' || payment.awaitsCustomer) return undefined
    move(payment, 'AUTHORIZED')
    return { amount: payment.amount }
  },

  settle(payment: ModelPayment): Verdict {
    if (payment.status !== 'AUTHORIZED' && payment.status !== 'SETTLING') return undefined
    const isCaptured = payment.status === 'AUTHORIZED'
    if (isCaptured) {
      payment.captured = payment.amount
      payment.isCaptureClosed = true
    }
    move(payment, 'SETTLED')
    return isCaptured ? { amount: payment.amount } : {}
  },

  decline(payment: ModelPayment): Verdict {
    if (payment.status !== 'PENDING') return undefined
    move(payment, 'DECLINED')
    return {}
  },

  fail(payment: ModelPayment): Verdict {
    if (!['PENDING', 'AUTHORIZED', 'SETTLING'].includes(payment.status) || refunded(payment) > 0) return undefined
    payment.captured = 0
    move(payment, 'FAILED')
    return {}
  },

  refundSettles: (payment: ModelPayment) => finishRefund(payment, 'SETTLED'),
  refundFails: (payment: ModelPayment) => finishRefund(payment, 'FAILED'),
}

/** Returns the sum of succeeded and pending refunds. */
export function refunded({ refunds }: ModelPayment): number {
  return refunds.filter(({ status }) => status !== 'FAILED').reduce((sum, { amount }) => sum + amount, 0)
}

function finishRefund(payment: ModelPayment, status: RefundStatus): Verdict {
  const pending = payment.refunds.find((refund) => refund.status === 'PENDING')
  if (!pending) return undefined
  payment.refunds = [...payment.refunds.filter((refund) => refund !== pending), { amount: pending.amount, status }]
  tellOfRefund(payment)
  return status === 'SETTLED' ? { amount: pending.amount } : {}
}

function move(payment: ModelPayment, status: Status): void {
  payment.status = status
  payment.told.push(status)
  if (status !== 'PENDING') payment.awaitsCustomer = false
}

function tellOfRefund(payment: ModelPayment): void {
  const { amount, status } = payment.refunds.at(-1) as Refund
  payment.told.push(`refund of ${amount} ${status}`)
}
