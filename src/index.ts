/** A client for the payments service, for use in a merchant's backend. */

// Client
export type { Call, ResponseInfo, WithResponse } from './call.js'
export { PaymentsClient } from './client.js'
export type { OperationClass, Scope } from './contract/operation.js'
export type { ApiVersion, TypeIn } from './contract/version.js'

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
} from './errors.js'

// Helpers
export { toDate } from './helpers/dates.js'
export { httpStatusOf, retryAfterOf } from './helpers/http-status.js'
export { formatAmount, minorUnits } from './helpers/money.js'
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
} from './helpers/payment-facts.js'
export { disputeDeadline, refundOutcome } from './helpers/webhook-events.js'
export type { Issue, IssueCode } from './internal/issues.js'

// Durable operations
export { OperationError } from './operations/errors.js'
export type { OperationIntent } from './operations/intent.js'
export type { JournalOptions } from './operations/journal.js'
export type {
  OnSettled,
  OperationFilter,
  OperationResult,
  Operations,
  RunOptions,
  SettleOptions,
} from './operations/operations.js'
export type { JournaledOperation, OperationRecord, OperationState } from './operations/record.js'
export type { SettleReport } from './operations/settlement.js'
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
  IdempotencyStore,
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
} from './options.js'
// Lists
export type { LazyItems } from './pagination/items.js'
export type { Page } from './pagination/page.js'
export type { PagedList } from './pagination/paged-list.js'
// Resources
export type { ClientSessions } from './resources/client-sessions.js'
export type { Loyalty, LoyaltyCustomers, LoyaltyTransactions } from './resources/loyalty.js'
export type { ExternalPayments, Observability } from './resources/observability.js'
export type { PaymentInstruments } from './resources/payment-instruments.js'
export type { Payments } from './resources/payments.js'
export type { RawRequest } from './resources/raw-request.js'
export type { ReconcileQuery, Reconciliation } from './resources/reconcile.js'
export type { WaitOptions } from './resources/wait.js'
export { WaitError } from './resources/wait.js'

// Requests and responses
export type * from './schemas/types.js'
export { createMemoryJournal, type MemoryJournalOptions } from './stores/memory-journal.js'
// Webhooks
export * from './webhooks/errors.js'
export * as webhooks from './webhooks/index.js'
