/**
 * The zod schemas of what the service sends: generous, so that unknown fields and values pass and `null` reads as absent.
 * Each is built when it is first used.
 */
import * as z from 'zod/mini'
import {
  ClientSession,
  ClientSessionV21,
  CreatedClientSession,
  CreatedClientSessionV21,
  SessionWarning,
} from './client-session.js'
import { Address, Customer } from './customer.js'
import { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from './event.js'
import { ExternalPayment } from './external-payment.js'
import { LoyaltyCustomer, LoyaltyTransaction } from './loyalty.js'
import { Fee, LineItem, Order, OrderDetails, ProductData, Shipping } from './order.js'
import {
  Payment,
  PaymentSummary,
  PaymentV21,
  Processor,
  RequiredAction,
  RiskData,
  StatusReason,
  Transaction,
} from './payment.js'
import { PaymentInstrument } from './payment-instrument.js'
import { BinData, PaymentMethod, PaymentMethodData, ThreeDSecureAuthentication } from './payment-method.js'
import type { Schema, Zod } from './schema.js'

export const PaymentSchema = received(Payment)
export const PaymentV21Schema = received(PaymentV21)
export const PaymentSummarySchema = received(PaymentSummary)
export const TransactionSchema = received(Transaction)
export const StatusReasonSchema = received(StatusReason)
export const ProcessorSchema = received(Processor)
export const RequiredActionSchema = received(RequiredAction)
export const RiskDataSchema = received(RiskData)
export const PaymentMethodSchema = received(PaymentMethod)
export const PaymentMethodDataSchema = received(PaymentMethodData)
export const BinDataSchema = received(BinData)
export const ThreeDSecureAuthenticationSchema = received(ThreeDSecureAuthentication)
export const OrderSchema = received(Order)
export const OrderDetailsSchema = received(OrderDetails)
export const LineItemSchema = received(LineItem)
export const ProductDataSchema = received(ProductData)
export const FeeSchema = received(Fee)
export const ShippingSchema = received(Shipping)
export const CustomerSchema = received(Customer)
export const AddressSchema = received(Address)
export const ClientSessionSchema = received(ClientSession)
export const ClientSessionV21Schema = received(ClientSessionV21)
export const CreatedClientSessionSchema = received(CreatedClientSession)
export const CreatedClientSessionV21Schema = received(CreatedClientSessionV21)
export const SessionWarningSchema = received(SessionWarning)
export const PaymentInstrumentSchema = received(PaymentInstrument)
export const ExternalPaymentSchema = received(ExternalPayment)
export const LoyaltyTransactionSchema = received(LoyaltyTransaction)
export const LoyaltyCustomerSchema = received(LoyaltyCustomer)
export const PaymentStatusEventSchema = received(PaymentStatusEvent)
export const PaymentRefundEventSchema = received(PaymentRefundEvent)
export const DisputeStatusEventSchema = received(DisputeStatusEvent)

function received<T>(schema: Schema<T>): Zod<T> {
  return z.lazy(() => schema.received) as Zod<T>
}

export type * from './types.js'
