import type { ByShape, ShapeOf } from '../contract/version.js'
import type { ResendableRequestOptions } from '../options.js'
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

// What a client of version `V` takes and returns. Everything not listed here is the same in every version.

export type PaymentOf<V extends string> = ByShape<Payment, PaymentV21>[ShapeOf<V>]
export type CreatePaymentBodyOf<V extends string> = ByShape<CreatePaymentBody, CreatePaymentBodyV21>[ShapeOf<V>]
export type CaptureBodyOf<V extends string> = ByShape<CaptureBody, CaptureBodyV21>[ShapeOf<V>]

export type ClientSessionOf<V extends string> = ByShape<ClientSession, ClientSessionV21>[ShapeOf<V>]
export type CreatedClientSessionOf<V extends string> = ByShape<
  CreatedClientSession,
  CreatedClientSessionV21
>[ShapeOf<V>]
export type CreateClientSessionBodyOf<V extends string> = ByShape<
  CreateClientSessionBody,
  CreateClientSessionBodyV21
>[ShapeOf<V>]
/** Version `2.1` requires a body, since it requires `lineItems`. */
export type CreateClientSessionArguments<V extends string> = ByShape<
  [body?: CreateClientSessionBody, options?: ResendableRequestOptions],
  [body: CreateClientSessionBodyV21, options?: ResendableRequestOptions]
>[ShapeOf<V>]
export type ClientSessionChangesOf<V extends string> = ByShape<
  ClientSessionChanges,
  ClientSessionChangesV21
>[ShapeOf<V>]
