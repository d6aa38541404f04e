import type { Cart } from '../../../core/contract/version.js'
import { isObject } from '../../../core/internal/objects.js'
import type { LineItem, Order, OrderDetails } from '../../../core/schemas/order.js'
import { invalidField } from '../internal/exchange.js'

/** A cart in the format of either API version. The sandbox stores carts as `order`, as in version `2021-09-27`. */
interface CartFields {
  order?: Order | undefined
  lineItems?: LineItem[] | undefined
  orderDetails?: OrderDetails | undefined
}

interface CartFormat {
  toOrder(body: CartFields): CartFields
  fromOrder(resource: CartFields): CartFields
}

/** The conversions for each cart format. A missing format is a compile error. */
const formats: { readonly [Name in Cart]: CartFormat } = {
  order: { toOrder: (body) => body, fromOrder: (resource) => resource },
  lineItems: {
    toOrder({ lineItems, orderDetails, ...rest }) {
      return lineItems || orderDetails ? { ...rest, order: { ...orderDetails, ...(lineItems && { lineItems }) } } : rest
    },
    fromOrder({ order, ...rest }) {
      const { lineItems, ...orderDetails } = order ?? {}
      return {
        ...rest,
        ...(lineItems && { lineItems }),
        ...(Object.keys(orderDetails).length > 0 && { orderDetails }),
      }
    },
  },
}

/** Converts a cart to the format of version `2021-09-27`. */
export function toOrder<T extends CartFields>(cart: Cart, body: T): Omit<T, 'lineItems' | 'orderDetails'> {
  return formats[cart].toOrder(body) as T
}

/** Converts a cart from the format of version `2021-09-27` to the given format. */
export function fromOrder<T extends CartFields>(cart: Cart, resource: T): Omit<T, 'order'> & CartFields {
  return formats[cart].fromOrder(resource) as T
}

/**
 * Returns the given amount, or calculates the amount from line items, fees and shipping. Returns `undefined` if there
 * are no line items.
 */
export function amountOf({ amount, order }: { amount?: number; order?: Order | undefined }): number | undefined {
  if (amount !== undefined) return amount
  if (!order?.lineItems?.length) return undefined
  const lines = order.lineItems.map(
    ({ amount = 0, quantity = 1, discountAmount = 0, taxAmount = 0 }) => amount * quantity - discountAmount + taxAmount,
  )
  const fees = order.fees?.map((fee) => fee.amount ?? 0) ?? []
  const total = sum([...lines, ...fees, order.shipping?.amount ?? 0])
  if (total >= 0) return total
  throw invalidField('order', 'must have a total of at least 0')
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}

/** Deep-merges two objects. An array or any other value in `newer` replaces the value in `older`. */
export function merged<T extends object>(older: T | undefined, newer: T): T {
  const result = { ...older } as Record<string, unknown>
  for (const [field, value] of Object.entries(newer)) {
    result[field] = isObject(result[field]) && isObject(value) ? merged(result[field], value) : value
  }
  return result as T
}

export function withoutNulls<T>(value: T): T {
  if (!isObject(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)])) as T
}

/** Copies an object without its empty fields (undefined, `''`, `[]` and `{}`), at any depth. */
export function withoutEmpty<T extends object>(value: T): T {
  const fields = Object.entries(value).map(
    ([name, field]) => [name, isObject(field) ? withoutEmpty(field) : field] as const,
  )
  return Object.fromEntries(fields.filter(([, field]) => !isEmpty(field))) as T
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)
}
