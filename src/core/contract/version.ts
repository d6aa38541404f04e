import type {
  ClientSession,
  ClientSessionChanges,
  ClientSessionChangesV21,
  ClientSessionV21,
  CreateClientSessionBody,
  CreateClientSessionBodyV21,
  CreatedClientSession,
  CreatedClientSessionV21,
} from '../schemas/client-session.js'
import type {
  CaptureBody,
  CaptureBodyV21,
  CreatePaymentBody,
  CreatePaymentBodyV21,
  Payment,
  PaymentV21,
} from '../schemas/payment.js'
import type { OtherString } from '../schemas/schema.js'

type OrderVersion = '2021-09-27'
type LineItemsVersion = '2.1'
export type KnownVersion = OrderVersion | LineItemsVersion

/** The known API versions, and the format of carts in each. */
export const carts = { '2021-09-27': 'order', '2.1': 'lineItems' } as const satisfies Record<OrderVersion, 'order'> &
  Record<LineItemsVersion, 'lineItems'>

/** A version of the service's API, sent as `X-Api-Version`. */
export type ApiVersion = KnownVersion | OtherString

/** The two formats of carts in requests and responses, named after the field with the line items. */
export type Cart = 'order' | 'lineItems'

/** Returns the cart format of a version. For an unknown version, returns the latest format. */
export function cartOf(version: string): Cart {
  return Object.hasOwn(carts, version) ? carts[version as KnownVersion] : 'lineItems'
}

/** The types that differ between the two cart formats. All other types are the same in every version. */
export interface VersionTypes {
  Payment: { order: Payment; lineItems: PaymentV21 }
  CreatePaymentBody: { order: CreatePaymentBody; lineItems: CreatePaymentBodyV21 }
  CaptureBody: { order: CaptureBody; lineItems: CaptureBodyV21 }
  ClientSession: { order: ClientSession; lineItems: ClientSessionV21 }
  CreatedClientSession: { order: CreatedClientSession; lineItems: CreatedClientSessionV21 }
  CreateClientSessionBody: { order: CreateClientSessionBody; lineItems: CreateClientSessionBodyV21 }
  ClientSessionChanges: { order: ClientSessionChanges; lineItems: ClientSessionChangesV21 }
}

/** The cart format of version `V`. */
export type CartIn<V extends string> = V extends OrderVersion ? 'order' : 'lineItems'

/** Selects the type for version `V` from a pair of types. */
export type InVersion<V extends string, Pair extends Record<Cart, unknown>> = Pair[CartIn<V>]

/**
 * The type named `Name` in version `V`, for code that supports several versions: `TypeIn<'2.1', 'Payment'>` is
 * `PaymentV21`.
 */
export type TypeIn<V extends string, Name extends keyof VersionTypes> = VersionTypes[Name][CartIn<V>]
