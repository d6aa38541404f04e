/** Verifies, signs, handles and diagnoses webhooks from the payments service. Does not import the HTTP client. */

export { ConfigurationError, PaymentsError } from '../core/errors.js'
export { disputeDeadline, refundOutcome } from '../core/helpers/webhook-events.js'
export type { Issue } from '../core/internal/issues.js'
export type {
  DisputeStatus,
  DisputeStatusEvent,
  DisputeType,
  KnownEvent,
  NotificationConfig,
  PaymentRefundEvent,
  PaymentStatusEvent,
} from '../core/schemas/event.js'
export type { ClaimResult, DeduplicationStore, WebhookResource, WebhookStore } from '../stores/contract.js'
export { createMemoryStore, type MemoryStoreOptions } from '../stores/memory/webhook-store.js'
export type { RawBody } from './body.js'
export { deduplicationKey } from './claims.js'
export { type Diagnosis, type DiagnosisCode, diagnose } from './diagnose.js'
export * from './errors.js'
export { isRecognized, type UnrecognizedEvent, type UnrecognizedEventType, type WebhookEvent } from './event.js'
export {
  createHandler,
  type EventFunctions,
  type HandlerOptions,
  type WebhookContext,
  type WebhookHandler,
} from './handler.js'
export type { SignatureHeaders, WebhookHeaders } from './headers.js'
export { type LambdaEvent, type LambdaFunction, type LambdaResult, toLambdaHandler } from './lambda.js'
export {
  type FastifyReply,
  type NodeListener,
  type NodeRequest,
  type NodeResponse,
  type NodeStream,
  toNodeListener,
} from './node-listener.js'
export type { VerifyOptions } from './options.js'
export type { SigningSecret, SigningSecrets } from './secrets.js'
export { type SignOptions, sign, signAsync } from './sign.js'
export type { SignatureHash } from './signature.js'
export { verify, verifyAsync } from './verify.js'
