/** A client for the payments service, for use in a merchant's backend. */

export * as webhooks from 'payments-client/webhooks'
export { PaymentsClient } from './client.js'
// Client
export type { Call, ResponseInfo, WithResponse } from './core/call.js'
export type { OperationClass, Scope } from './core/contract/operation.js'
export type { ApiVersion, TypeIn } from './core/contract/version.js'
// Errors
export {
  AbortedError,
  ApiError,
  type Attempt,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  isPaymentsError,
  NotFoundError,
  type Outcome,
  PaginationError,
  PaymentsError,
  type PaymentsErrorFields,
  PermissionError,
  RateLimitError,
  RequestValidationError,
  ResponseValidationError,
  type Retry,
  ServerError,
  type ServiceValidationError,
  TimeoutError,
  type TimeoutPhase,
  UnprocessableError,
  type UnreadableReason,
  UnreadableResponseError,
} from './core/errors.js'
// Helpers
export { toDate } from './core/helpers/dates.js'
export { httpStatusOf, retryAfterOf } from './core/helpers/http-status.js'
export { formatAmount, minorUnits } from './core/helpers/money.js'
export {
  findNewRefund,
  isFinal,
  isNewer,
  isOpen,
  isPaid,
  latestRefund,
  type Refund,
  refundsOf,
  remainingCapturable,
  remainingRefundable,
} from './core/helpers/payment-facts.js'
export { disputeDeadline, refundOutcome } from './core/helpers/webhook-events.js'
export type { Issue, IssueCode } from './core/internal/issues.js'
// Options
export type {
  AppInfo,
  CallEvent,
  ClientOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  Health,
  Hooks,
  HttpAgent,
  IdempotencyKeyFunction,
  IdempotentRequestOptions,
  Journal,
  LogFields,
  Logger,
  LogLevel,
  RequestEvent,
  RequestOptions,
  ResendableRequestOptions,
  ResponseEvent,
  ResponseIssueEvent,
  ResultEvent,
  RetryEvent,
} from './core/options.js'
// Lists
export type { Page } from './core/pagination/page.js'
export type { PagedList } from './core/pagination/paged-list.js'
// Resources
export type { ClientSessions } from './core/resources/client-sessions.js'
export type { Loyalty, LoyaltyCustomers, LoyaltyTransactions } from './core/resources/loyalty.js'
export type { ExternalPayments, Observability } from './core/resources/observability.js'
export type { PaymentInstruments } from './core/resources/payment-instruments.js'
export type { Payments } from './core/resources/payments.js'
export type { RawRequest } from './core/resources/raw-request.js'
export type { ReconcileQuery, Reconciliation } from './core/resources/reconcile.js'
export type { WaitOptions } from './core/resources/wait.js'
export { WaitError } from './core/resources/wait.js'
// Requests and responses
export type * from './core/schemas/types.js'
// Durable operations
export { OperationError } from './operations/errors.js'
export type { OperationIntent } from './operations/intent.js'
export type { JournalOptions } from './operations/journal.js'
export type {
  OnSettled,
  OperationFilter,
  OperationResult,
  Operations,
  PlanArguments,
  RecoverOptions,
  Resolution,
  RunOptions,
  SettleReport,
} from './operations/operations.js'
export type { JournaledOperation, OperationRecord, OperationState } from './operations/record.js'
export type { RecoveryReport } from './operations/recovery.js'
export { createMemoryJournal, type MemoryJournalOptions } from './stores/memory/journal.js'
// Webhooks
export * from './webhooks/errors.js'
