import type { LineItem, Order } from '../../schemas/order.js'
import { invalidField } from '../refusal.js'

/** An amount that was given, or else the one computed from lines, fees and shipping. Nothing if there are no lines. */
export function amountOf({ amount, order }: { amount?: number; order?: Order | undefined }): number | undefined {
  if (amount !== undefined) return amount
  if (!order?.lineItems?.length) return undefined
  const lines = order.lineItems.map(lineAmount)
  const fees = order.fees?.map((fee) => fee.amount ?? 0) ?? []
  const total = sum([...lines, ...fees, order.shipping?.amount ?? 0])
  if (total >= 0) return total
  throw invalidField('order', 'must not come to less than 0')
}

function lineAmount({ amount = 0, quantity = 1, discountAmount = 0, taxAmount = 0 }: LineItem): number {
  return amount * quantity - discountAmount + taxAmount
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
