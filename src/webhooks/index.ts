/** Webhooks of the payments service: check who sent them, read them, receive them. No HTTP client inside. */

export {
  ConfigurationError,
  PaymentsError,
  WebhookPayloadError,
  type WebhookRefusal,
  WebhookVerificationError,
} from '../errors.js'
export type { Issue } from '../internal/issues.js'
export type {
  DisputeStatus,
  DisputeStatusEvent,
  DisputeType,
  KnownEvent,
  NotificationConfig,
  PaymentRefundEvent,
  PaymentStatusEvent,
} from '../schemas/event.js'
export type { RawBody } from './body.js'
export {
  type ClaimResult,
  createMemoryStore,
  type DeduplicationStore,
  deduplicationKey,
  type MemoryStoreOptions,
} from './deduplication.js'
export { type Diagnosis, type DiagnosisCode, diagnose } from './diagnose.js'
export { isRecognized, type UnrecognizedEvent, type UnrecognizedEventType, type WebhookEvent } from './event.js'
export { createHandler, type EventFunctions, type HandlerOptions, type WebhookHandler } from './handler.js'
export type { SignatureHeaders, WebhookHeaders } from './headers.js'
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
