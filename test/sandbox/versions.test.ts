import { describe, expect, it } from 'vitest'
import { fromShape, toShape } from '../../src/sandbox/service/versions.js'
import type { LineItem, Order, OrderDetails } from '../../src/schemas/order.js'

interface Written {
  orderId: string
  lineItems?: LineItem[]
  orderDetails?: OrderDetails
}

interface Inside {
  orderId: string
  order?: Order
}

const lineItems = [{ itemId: 'a', amount: 5 }]
const orderDetails = { countryCode: 'DE' }
const rest = { orderId: 'order-17' }

describe('the cart of version 2.1', () => {
  it.each<[Written, Inside]>([
    [rest, rest],
    [
      { ...rest, lineItems },
      { ...rest, order: { lineItems } },
    ],
    [
      { ...rest, orderDetails },
      { ...rest, order: { countryCode: 'DE' } },
    ],
    [
      { ...rest, lineItems, orderDetails },
      { ...rest, order: { countryCode: 'DE', lineItems } },
    ],
  ])('%j is %j inside, and the other way round', (written, inside) => {
    expect(fromShape('2.1', written)).toStrictEqual(inside)
    expect(toShape('2.1', inside)).toStrictEqual(written)
  })

  it('is left away where the order says nothing', () => {
    expect(toShape('2.1', { ...rest, order: {} })).toStrictEqual(rest)
  })
})

describe('the cart of version 2021-09-27', () => {
  it('is the same inside', () => {
    const written = { ...rest, order: { ...orderDetails, lineItems } }

    expect(fromShape('2021-09-27', written)).toBe(written)
    expect(toShape('2021-09-27', written)).toBe(written)
  })
})
