import type { LiteralUnion } from 'type-fest'
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

/** The known API versions, and the format of carts in each. */
export const carts = { '2021-09-27': 'order', '2.1': 'lineItems' } as const

export type KnownVersion = keyof typeof carts

/** A version of the service's API, sent as `X-Api-Version`. */
export type ApiVersion = LiteralUnion<KnownVersion, string>

/** The two formats of carts in requests and responses, named after the field with the line items. */
export type Cart = 'order' | 'lineItems'

type OrderVersion = { [V in KnownVersion]: (typeof carts)[V] extends 'order' ? V : never }[KnownVersion]

/** Returns the cart format of a version. Unknown versions have the latest format. */
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

/** Selects the type for version `V` from a pair of types. */
export type InVersion<V extends string, Pair extends Record<Cart, unknown>> = Pair[V extends OrderVersion
  ? 'order'
  : 'lineItems']

/** The type named `Name` in version `V`. */
export type TypeIn<V extends string, Name extends keyof VersionTypes> = InVersion<V, VersionTypes[Name]>
