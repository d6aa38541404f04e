import type * as session from './client-session.js'
import type * as payment from './payment.js'
import type { NotInThisVersion } from './schema.js'

/** `T` with read-only arrays, so that callers can pass frozen arrays and values declared `as const`. */
export type ReadonlyArrays<T> = T extends readonly (infer Item)[]
  ? readonly Item[]
  : T extends string | number | boolean | null | undefined | Date | NotInThisVersion
    ? T
    : // Leaves maps and unknown values unchanged.
      string extends keyof T
      ? T
      : unknown extends T
        ? T
        : { [K in keyof T]: ReadonlyArrays<T[K]> }

// The types of request bodies with a cart. Other bodies have no arrays.
export interface CreateClientSessionBody extends ReadonlyArrays<session.CreateClientSessionBody> {}
export interface CreateClientSessionBodyV21 extends ReadonlyArrays<session.CreateClientSessionBodyV21> {}
export interface ClientSessionChanges extends ReadonlyArrays<session.ClientSessionChanges> {}
export interface ClientSessionChangesV21 extends ReadonlyArrays<session.ClientSessionChangesV21> {}
export interface CreatePaymentBody extends ReadonlyArrays<payment.CreatePaymentBody> {}
export interface CreateFullPaymentBodyV21 extends ReadonlyArrays<payment.CreateFullPaymentBodyV21> {}
export type CreatePaymentBodyV21 = payment.CreatePaymentFromSessionBodyV21 | CreateFullPaymentBodyV21
export interface CaptureBody extends ReadonlyArrays<payment.CaptureBody> {}
export interface CaptureBodyV21 extends ReadonlyArrays<payment.CaptureBodyV21> {}
