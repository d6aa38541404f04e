/**
 * Zod schemas for the data that the service sends. They accept unknown fields and unknown enum values, and convert
 * `null` in an optional field to `undefined`.
 */
import * as clientSession from './client-session.js'
import * as customer from './customer.js'
import * as event from './event.js'
import * as externalPayment from './external-payment.js'
import * as loyalty from './loyalty.js'
import * as order from './order.js'
import * as payment from './payment.js'
import * as paymentInstrument from './payment-instrument.js'
import * as paymentMethod from './payment-method.js'
import { toZod } from './zod.js'

export const PaymentSchema = toZod(payment.Payment)
export const PaymentV21Schema = toZod(payment.PaymentV21)
export const PaymentSummarySchema = toZod(payment.PaymentSummary)
export const TransactionSchema = toZod(payment.Transaction)
export const StatusReasonSchema = toZod(payment.StatusReason)
export const ProcessorSchema = toZod(payment.Processor)
export const RequiredActionSchema = toZod(payment.RequiredAction)
export const RiskDataSchema = toZod(payment.RiskData)
export const PaymentMethodSchema = toZod(paymentMethod.PaymentMethod)
export const PaymentMethodDataSchema = toZod(paymentMethod.PaymentMethodData)
export const BinDataSchema = toZod(paymentMethod.BinData)
export const ThreeDSecureAuthenticationSchema = toZod(paymentMethod.ThreeDSecureAuthentication)
export const OrderSchema = toZod(order.Order)
export const OrderDetailsSchema = toZod(order.OrderDetails)
export const LineItemSchema = toZod(order.LineItem)
export const ProductDataSchema = toZod(order.ProductData)
export const FeeSchema = toZod(order.Fee)
export const ShippingSchema = toZod(order.Shipping)
export const CustomerSchema = toZod(customer.Customer)
export const AddressSchema = toZod(customer.Address)
export const ClientSessionSchema = toZod(clientSession.ClientSession)
export const ClientSessionV21Schema = toZod(clientSession.ClientSessionV21)
export const CreatedClientSessionSchema = toZod(clientSession.CreatedClientSession)
export const CreatedClientSessionV21Schema = toZod(clientSession.CreatedClientSessionV21)
export const SessionWarningSchema = toZod(clientSession.SessionWarning)
export const PaymentInstrumentSchema = toZod(paymentInstrument.PaymentInstrument)
export const ExternalPaymentSchema = toZod(externalPayment.ExternalPayment)
export const LoyaltyTransactionSchema = toZod(loyalty.LoyaltyTransaction)
export const LoyaltyCustomerSchema = toZod(loyalty.LoyaltyCustomer)
export const PaymentStatusEventSchema = toZod(event.PaymentStatusEvent)
export const PaymentRefundEventSchema = toZod(event.PaymentRefundEvent)
export const DisputeStatusEventSchema = toZod(event.DisputeStatusEvent)

export type * from './types.js'
