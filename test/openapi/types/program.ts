// Compiles only if openapi-typescript's types accept all values that the SDK's types accept, for every operation.
import type * as contract from '../../../src/core/contract/index.js'
import type { AnyOperation, InputOf, ResultOf } from '../../../src/core/contract/operation.js'
import type { MetadataInput } from '../../../src/core/schemas/types.js'
import type { operations as OperationsV21 } from './generated/2.1.js'
import type { operations as OperationsV2 } from './generated/2021-09-27.js'

type Contract = typeof contract

/** The contract's operation with this name, such as `payments.capture` or `loyalty.customers.get`. */
type Find<Name, Part = Contract> = Name extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Part
    ? Find<Rest, Part[Head]>
    : never
  : Name extends keyof Part
    ? Extract<Part[Name], AnyOperation>
    : never

type BodyOf<Op> = Op extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : unknown
type ResponseOf<Op> = Op extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never

/**
 * The fields of a session update that differ from the SDK's type. The client adds the token, and also accepts returned
 * metadata, with values that the service does not document for requests.
 */
type Documented<Name> = Name extends 'clientSessions.update'
  ? { clientToken: string; metadata?: MetadataInput | null }
  : unknown

/** A body as the client sends it: dates are strings. */
type Sent<Body> = { [Name in keyof Body]: Exclude<Body[Name], Date> }

type Accepts<Generated, Version extends string> = {
  [Name in keyof Generated as Name extends `webhooks.${string}` ? never : Name]: [
    Sent<NonNullable<InputOf<Find<Name>, Version>['body']>> & Documented<Name>,
    ResultOf<Find<Name>, Version>,
  ] extends [BodyOf<Generated[Name]>, ResponseOf<Generated[Name]>]
    ? true
    : false
}

const v2: { [Name in keyof Accepts<OperationsV2, '2021-09-27'>]: true } = {} as Accepts<OperationsV2, '2021-09-27'>
const v21: { [Name in keyof Accepts<OperationsV21, '2.1'>]: true } = {} as Accepts<OperationsV21, '2.1'>

type CreateV21 = BodyOf<OperationsV21['payments.create']>

/** A payment of version 2.1 needs a token. */
export const created: CreateV21[] = [
  { paymentMethodToken: 'tok_1' },
  { paymentMethodToken: 'tok_1', orderId: 'order-17', currencyCode: 'EUR', amount: 700 },
  // @ts-expect-error: the token is missing.
  { amount: 5 },
]

/** A client session needs a body. */
export const session: OperationsV2['clientSessions.create']['requestBody'] = { content: { 'application/json': {} } }
// @ts-expect-error: the body is missing.
export const noSession: OperationsV21['clientSessions.create']['requestBody'] = undefined

/** Checks that the contract contains every name. The types above would turn an unknown name into `never`. */
const all: Record<keyof Accepts<OperationsV2, '2021-09-27'>, AnyOperation> = {} as {
  [Name in keyof Accepts<OperationsV2, '2021-09-27'>]: [Find<Name>] extends [never] ? undefined : Find<Name>
}

export { all, v2, v21 }
