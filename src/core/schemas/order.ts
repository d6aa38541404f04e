import {
  countryCode,
  decimal,
  type Fields,
  integer,
  list,
  type NotInThisVersion,
  never,
  type OtherString,
  object,
  openEnum,
  signedMinorUnits,
  text,
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

export const ProductData = object<ProductData>(() => ({
  sku: text,
  brand: text,
  color: text,
  globalTradeItemNumber: text,
  manufacturerPartNumber: text,
  weight: decimal,
  weightUnit: text,
}))

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

export const LineItem = object<LineItem>(() => ({
  itemId: text,
  name: text,
  description: text,
  amount: signedMinorUnits,
  quantity: integer,
  discountAmount: signedMinorUnits,
  taxAmount: signedMinorUnits,
  taxCode: text,
  productType: openEnum,
  productData: ProductData,
}))

/** A fee in addition to the line items. */
export interface Fee {
  /** Amount of the fee, in minor units. */
  amount?: number
  type?: string
  description?: string
}

export const Fee = object<Fee>(() => ({ amount: signedMinorUnits, type: text, description: text }))

/** The cost of shipping. */
export interface Shipping {
  /** Cost of shipping, in minor units. */
  amount?: number
}

export const Shipping = object<Shipping>(() => ({ amount: signedMinorUnits }))

/** An order in version `2.1`, whose line items are in a separate field. */
export interface OrderDetails {
  /** Two-letter code of the country from which the order is placed. */
  countryCode?: string
  /** Two-letter code of the country from which the retailer sells. */
  retailerCountryCode?: string
  fees?: Fee[]
  shipping?: Shipping
}

const orderDetails = () => ({ countryCode, retailerCountryCode: countryCode, fees: list(Fee), shipping: Shipping })

export const OrderDetails = object<OrderDetails>(orderDetails)

/** An order in version `2021-09-27`, including its line items. */
export interface Order extends OrderDetails {
  lineItems?: LineItem[]
}

export const Order = object<Order>(() => ({ ...orderDetails(), lineItems: list(LineItem) }))

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

export const orderCart = (): Fields<OrderCart> => ({
  order: Order,
  lineItems: never('exists only in version 2.1: use order.lineItems'),
  orderDetails: never('exists only in version 2.1: use order'),
})

/** The cart of a request in version `2.1`. */
export interface LineItemsCart {
  lineItems?: readonly LineItem[]
  /** Fees, shipping and countries. */
  orderDetails?: OrderDetailsInput
  /** Exists only in version `2021-09-27`. Use `orderDetails` and `lineItems`. */
  order?: UseOrderDetailsAndLineItemsInVersion21
}

export const lineItemsCart = (): Fields<LineItemsCart> => ({
  lineItems: list(LineItem),
  orderDetails: OrderDetails,
  order: never('exists only in version 2021-09-27: use orderDetails and lineItems'),
})
