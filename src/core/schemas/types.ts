/** The types of requests, responses and webhook events, as plain interfaces. */
export type {
  ClientSession,
  ClientSessionChanges,
  ClientSessionChangesV21,
  ClientSessionCore,
  ClientSessionV21,
  CreateClientSessionBody,
  CreateClientSessionBodyV21,
  CreatedClientSession,
  CreatedClientSessionV21,
  SessionWarning,
} from './client-session.js'
export type { Address, Customer } from './customer.js'
export type {
  DisputeStatus,
  DisputeStatusEvent,
  DisputeType,
  KnownEvent,
  NotificationConfig,
  PaymentRefundEvent,
  PaymentStatusEvent,
} from './event.js'
export type {
  CreateExternalPaymentBody,
  ExternalPayment,
  ExternalPaymentChanges,
  ExternalPaymentMethodData,
  ExternalThreeDSecure,
} from './external-payment.js'
export type { Metadata, MetadataInput } from './json.js'
export type {
  CreateLoyaltyTransactionBody,
  GetLoyaltyCustomerParams,
  ListLoyaltyTransactionsParams,
  LoyaltyCustomer,
  LoyaltyTransaction,
  LoyaltyTransactionType,
} from './loyalty.js'
export type {
  Fee,
  LineItem,
  Order,
  OrderDetails,
  OrderDetailsInput,
  OrderInput,
  ProductData,
  ProductType,
  Shipping,
} from './order.js'
export type {
  AdjustAuthorizationBody,
  AuthorizeBody,
  CancelBody,
  CaptureBody,
  CaptureBodyV21,
  CreateFullPaymentBodyV21,
  CreatePaymentBody,
  CreatePaymentBodyV21,
  CreatePaymentFromSessionBodyV21,
  EventPayment,
  FraudCheck,
  KnownPaymentStatus,
  Payment,
  PaymentCore,
  PaymentStatus,
  PaymentSummary,
  PaymentV21,
  Processor,
  RefundBody,
  RequiredAction,
  ResumeBody,
  RiskData,
  StatusReason,
  Transaction,
} from './payment.js'
export type { ListPaymentInstrumentsParams, PaymentInstrument, VaultBody } from './payment-instrument.js'
export type {
  AuthorizationType,
  BinData,
  PaymentMethod,
  PaymentMethodData,
  PaymentMethodInput,
  PaymentMethodOptions,
  PaymentMethodType,
  PaymentType,
  ThreeDSecureAuthentication,
} from './payment-method.js'
export type { ListPaymentsParams } from './payments-list.js'
export type { Changes, CurrencyCode, DateTime } from './schema.js'
