import * as z from 'zod'
import {
  absent,
  countryCode,
  type Fields,
  type NotInThisVersion,
  never,
  type ObjectSchema,
  type OtherString,
  object,
  signedMinorUnits,
} from './schema.js'

/** The kind of product in a line item. */
export type ProductType = 'PHYSICAL' | OtherString

/** Details of a product. */
export interface ProductData {
  /** Stock keeping unit. */
  sku?: string
  brand?: string
  color?: string
  globalTradeItemNumber?: string
  manufacturerPartNumber?: string
  /** Weight in `weightUnit`, possibly fractional. */
  weight?: number
  /** Unit of `weight`, e.g. `kg`. */
  weightUnit?: string
}

export const ProductDataSchema: ObjectSchema<ProductData> = object({
  sku: absent(z.string()),
  brand: absent(z.string()),
  color: absent(z.string()),
  globalTradeItemNumber: absent(z.string()),
  manufacturerPartNumber: absent(z.string()),
  weight: absent(z.number()),
  weightUnit: absent(z.string()),
})

/** A line item in a cart. */
export interface LineItem {
  itemId?: string
  name?: string
  description?: string
  /** Price of one item, in minor units. */
  amount?: number
  /** Number of items of this product. */
  quantity?: number
  /** Discount on the line item, in minor units. */
  discountAmount?: number
  /** Tax on the line item, in minor units. */
  taxAmount?: number
  /** The tax service's code for this kind of product. */
  taxCode?: string
  productType?: ProductType
  productData?: ProductData
}

export const LineItemSchema: ObjectSchema<LineItem> = object({
  itemId: absent(z.string()),
  name: absent(z.string()),
  description: absent(z.string()),
  amount: absent(signedMinorUnits),
  quantity: absent(z.int()),
  discountAmount: absent(signedMinorUnits),
  taxAmount: absent(signedMinorUnits),
  taxCode: absent(z.string()),
  productType: absent(z.string()),
  productData: absent(ProductDataSchema),
})

/** A fee in addition to the line items. */
export interface Fee {
  /** Amount of the fee, in minor units. */
  amount?: number
  type?: string
  description?: string
}

export const FeeSchema: ObjectSchema<Fee> = object({
  amount: absent(signedMinorUnits),
  type: absent(z.string()),
  description: absent(z.string()),
})

/** The cost of shipping. */
export interface Shipping {
  /** Cost of shipping, in minor units. */
  amount?: number
}

export const ShippingSchema: ObjectSchema<Shipping> = object({ amount: absent(signedMinorUnits) })

/** An order in version `2.1`, whose line items are in a separate field. */
export interface OrderDetails {
  /** Two-letter code of the country from which the order is placed. */
  countryCode?: string
  /** Two-letter code of the country from which the retailer sells. */
  retailerCountryCode?: string
  fees?: Fee[]
  shipping?: Shipping
}

const orderDetails: Fields<OrderDetails> = {
  countryCode: absent(countryCode),
  retailerCountryCode: absent(countryCode),
  fees: absent(z.array(FeeSchema)),
  shipping: absent(ShippingSchema),
}

export const OrderDetailsSchema: ObjectSchema<OrderDetails> = object(orderDetails)

/** An order in version `2021-09-27`, including its line items. */
export interface Order extends OrderDetails {
  lineItems?: LineItem[]
}

export const OrderSchema: ObjectSchema<Order> = object({ ...orderDetails, lineItems: absent(z.array(LineItemSchema)) })

/** An `Order` in a request. Its arrays may be read-only. */
export interface OrderInput extends Omit<Order, 'fees' | 'lineItems'> {
  fees?: readonly Fee[]
  lineItems?: readonly LineItem[]
}

/** `OrderDetails` in a request. Its arrays may be read-only. */
export interface OrderDetailsInput extends Omit<OrderDetails, 'fees'> {
  fees?: readonly Fee[]
}

export interface UseOrderLineItemsInVersion20210927 extends NotInThisVersion {}
export interface UseOrderInVersion20210927 extends NotInThisVersion {}
export interface UseOrderDetailsAndLineItemsInVersion21 extends NotInThisVersion {}

/** The cart of a request in version `2021-09-27`. */
export interface OrderCart {
  /** Line items, fees, shipping and countries. */
  order?: OrderInput
  /** Exists only in API version `2.1`. Use `order.lineItems` instead. */
  lineItems?: UseOrderLineItemsInVersion20210927
  /** Exists only in API version `2.1`. Use `order` instead. */
  orderDetails?: UseOrderInVersion20210927
}

export const orderCart: Fields<OrderCart> = {
  order: absent(OrderSchema),
  lineItems: never('exists only in version 2.1: use order.lineItems'),
  orderDetails: never('exists only in version 2.1: use order'),
}

/** The cart of a request in version `2.1`. */
export interface LineItemsCart {
  lineItems?: readonly LineItem[]
  /** Fees, shipping and countries. */
  orderDetails?: OrderDetailsInput
  /** Exists only in version `2021-09-27`. Use `orderDetails` and `lineItems`. */
  order?: UseOrderDetailsAndLineItemsInVersion21
}

export const lineItemsCart: Fields<LineItemsCart> = {
  lineItems: absent(z.array(LineItemSchema)),
  orderDetails: absent(OrderDetailsSchema),
  order: never('exists only in version 2021-09-27: use orderDetails and lineItems'),
}
