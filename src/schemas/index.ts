/**
 * The zod schemas of the data that the service sends. Unknown fields and unknown enum values are valid, and `null` in an
 * optional field reads as absent.
 */
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
import { toZod } from './zod.js'

export const PaymentSchema = toZod(Payment)
export const PaymentV21Schema = toZod(PaymentV21)
export const PaymentSummarySchema = toZod(PaymentSummary)
export const TransactionSchema = toZod(Transaction)
export const StatusReasonSchema = toZod(StatusReason)
export const ProcessorSchema = toZod(Processor)
export const RequiredActionSchema = toZod(RequiredAction)
export const RiskDataSchema = toZod(RiskData)
export const PaymentMethodSchema = toZod(PaymentMethod)
export const PaymentMethodDataSchema = toZod(PaymentMethodData)
export const BinDataSchema = toZod(BinData)
export const ThreeDSecureAuthenticationSchema = toZod(ThreeDSecureAuthentication)
export const OrderSchema = toZod(Order)
export const OrderDetailsSchema = toZod(OrderDetails)
export const LineItemSchema = toZod(LineItem)
export const ProductDataSchema = toZod(ProductData)
export const FeeSchema = toZod(Fee)
export const ShippingSchema = toZod(Shipping)
export const CustomerSchema = toZod(Customer)
export const AddressSchema = toZod(Address)
export const ClientSessionSchema = toZod(ClientSession)
export const ClientSessionV21Schema = toZod(ClientSessionV21)
export const CreatedClientSessionSchema = toZod(CreatedClientSession)
export const CreatedClientSessionV21Schema = toZod(CreatedClientSessionV21)
export const SessionWarningSchema = toZod(SessionWarning)
export const PaymentInstrumentSchema = toZod(PaymentInstrument)
export const ExternalPaymentSchema = toZod(ExternalPayment)
export const LoyaltyTransactionSchema = toZod(LoyaltyTransaction)
export const LoyaltyCustomerSchema = toZod(LoyaltyCustomer)
export const PaymentStatusEventSchema = toZod(PaymentStatusEvent)
export const PaymentRefundEventSchema = toZod(PaymentRefundEvent)
export const DisputeStatusEventSchema = toZod(DisputeStatusEvent)

export type * from './types.js'
