// Exports the types of samples, which the type declarations of programs need if they import only this file.
export type { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from '../core/schemas/event.js'
export type { Payment, PaymentV21 } from '../core/schemas/payment.js'
export { type ExploreFailure, type ExploreReport, explore } from './explore/explore.js'
export type { ExploreOptions, StartContext } from './explore/options.js'
export type { ExploreClock } from './explore/process.js'
export type { CrashKind, Disturbance, FaultKind, WebhookKind } from './explore/schedule.js'
export { createSandbox } from './inspector/sandbox.js'
export type {
  Listening,
  ListenOptions,
  LoyaltyControls,
  Sandbox,
  SandboxClientOptions,
  SandboxFetch,
  Served,
  /** @deprecated Use `Served`. */
  Served as Answered,
} from './sandbox/api.js'
export type {
  DisputeControls,
  DisputeFields,
  ProcessorControls,
  TokenizeOptions,
} from './sandbox/controls.js'
export type { Clock, Duration } from './sandbox/internal/clock.js'
export type { SandboxEvent, SandboxEventType } from './sandbox/internal/feed.js'
export type { SandboxOptions, SandboxSettings } from './sandbox/internal/options.js'
export { type ScenarioName, type ScenarioTokens, tokens } from './sandbox/internal/scenarios.js'
export { type SampleEventType, sampleEvent, samplePayment } from './sandbox/samples.js'
export type { BodyMaker, Fault, Faults, OperationName } from './sandbox/service/faults.js'
export type { RequestRecord } from './sandbox/service/request-log.js'
export type { Delivery, StatusChange } from './sandbox/store/records.js'
export type { Effect, SandboxSnapshot } from './sandbox/store/store.js'
export type { Receiver } from './sandbox/webhooks/receiver.js'
export type { SubscribeOptions, Webhooks } from './sandbox/webhooks/webhooks.js'
export { testWebhookStore, type WebhookStoreTest } from './test-webhook-store.js'
