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

/** A version of the service's API, sent as `X-Api-Version`. */
export type ApiVersion = LiteralUnion<'2021-09-27' | '2.1', string>

/** The two formats of carts in requests and responses. All versions except `2021-09-27` use the format of `2.1`. */
export type Shape = '2021-09-27' | '2.1'

/** The types that differ between the two cart formats. All other types are the same in every version. */
export interface VersionTypes {
  Payment: { '2021-09-27': Payment; '2.1': PaymentV21 }
  CreatePaymentBody: { '2021-09-27': CreatePaymentBody; '2.1': CreatePaymentBodyV21 }
  CaptureBody: { '2021-09-27': CaptureBody; '2.1': CaptureBodyV21 }
  ClientSession: { '2021-09-27': ClientSession; '2.1': ClientSessionV21 }
  CreatedClientSession: { '2021-09-27': CreatedClientSession; '2.1': CreatedClientSessionV21 }
  CreateClientSessionBody: { '2021-09-27': CreateClientSessionBody; '2.1': CreateClientSessionBodyV21 }
  ClientSessionChanges: { '2021-09-27': ClientSessionChanges; '2.1': ClientSessionChangesV21 }
}

/** Selects the type for version `V` from a pair of types. */
export type InVersion<V extends string, Pair extends Record<Shape, unknown>> = Pair[V extends '2021-09-27'
  ? '2021-09-27'
  : '2.1']

/** The type named `Name` in version `V`. */
export type TypeIn<V extends string, Name extends keyof VersionTypes> = InVersion<V, VersionTypes[Name]>

export function shapeOf(version: string): Shape {
  return version === '2021-09-27' ? '2021-09-27' : '2.1'
}
