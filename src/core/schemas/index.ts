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

export const PaymentSchema = payment.Payment()
export const PaymentV21Schema = payment.PaymentV21()
export const PaymentSummarySchema = payment.PaymentSummary()
export const TransactionSchema = payment.Transaction()
export const StatusReasonSchema = payment.StatusReason()
export const ProcessorSchema = payment.Processor()
export const RequiredActionSchema = payment.RequiredAction()
export const RiskDataSchema = payment.RiskData()
export const PaymentMethodSchema = paymentMethod.PaymentMethod()
export const PaymentMethodDataSchema = paymentMethod.PaymentMethodData()
export const BinDataSchema = paymentMethod.BinData()
export const ThreeDSecureAuthenticationSchema = paymentMethod.ThreeDSecureAuthentication()
export const OrderSchema = order.Order()
export const OrderDetailsSchema = order.OrderDetails()
export const LineItemSchema = order.LineItem()
export const ProductDataSchema = order.ProductData()
export const FeeSchema = order.Fee()
export const ShippingSchema = order.Shipping()
export const CustomerSchema = customer.Customer()
export const AddressSchema = customer.Address()
export const ClientSessionSchema = clientSession.ClientSession()
export const ClientSessionV21Schema = clientSession.ClientSessionV21()
export const CreatedClientSessionSchema = clientSession.CreatedClientSession()
export const CreatedClientSessionV21Schema = clientSession.CreatedClientSessionV21()
export const SessionWarningSchema = clientSession.SessionWarning()
export const PaymentInstrumentSchema = paymentInstrument.PaymentInstrument()
export const ExternalPaymentSchema = externalPayment.ExternalPayment()
export const LoyaltyTransactionSchema = loyalty.LoyaltyTransaction()
export const LoyaltyCustomerSchema = loyalty.LoyaltyCustomer()
export const PaymentStatusEventSchema = event.PaymentStatusEvent()
export const PaymentRefundEventSchema = event.PaymentRefundEvent()
export const DisputeStatusEventSchema = event.DisputeStatusEvent()

export type * from './types.js'
