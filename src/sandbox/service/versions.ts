import type { Shape } from '../../contract/version.js'
import type { LineItem, Order, OrderDetails } from '../../schemas/order.js'

/** The cart in either shape. Inside, the sandbox knows only `order`, the shape of version 2021-09-27. */
interface Cart {
  order?: Order | undefined
  lineItems?: LineItem[] | undefined
  orderDetails?: OrderDetails | undefined
}

/** From the shape of a version to the sandbox's own. */
export function fromShape<T extends Cart>(shape: Shape, written: T): Omit<T, 'lineItems' | 'orderDetails'> {
  if (shape === '2021-09-27') return written
  const { lineItems, orderDetails, ...rest } = written
  return lineItems || orderDetails ? { ...rest, order: { ...orderDetails, ...(lineItems && { lineItems }) } } : rest
}

/** From the sandbox's own shape to that of a version. */
export function toShape<T extends Cart>(shape: Shape, resource: T): Omit<T, 'order'> & Cart {
  if (shape === '2021-09-27' || !resource.order) return resource
  const { order, ...rest } = resource
  const { lineItems, ...orderDetails } = order
  return {
    ...rest,
    ...(lineItems && { lineItems }),
    ...(Object.keys(orderDetails).length > 0 && { orderDetails }),
  }
}
