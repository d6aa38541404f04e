// Exports the types of samples for programs that import only this file. Their type declarations need these types.
export type { DisputeStatusEvent, PaymentRefundEvent, PaymentStatusEvent } from '../schemas/event.js'
export type { Payment, PaymentV21 } from '../schemas/payment.js'
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
} from './api.js'
export type {
  DisputeControls,
  DisputeFields,
  ProcessorControls,
  TokenizeOptions,
} from './controls.js'
export { type ExploreFailure, type ExploreReport, explore } from './explore/explore.js'
export type { ExploreOptions, StartContext } from './explore/options.js'
export type { ExploreClock } from './explore/process.js'
export type { CrashKind, Disturbance, FaultKind, WebhookKind } from './explore/schedule.js'
export type { Clock, Duration } from './internal/clock.js'
export type { SandboxEvent, SandboxEventType } from './internal/feed.js'
export type { SandboxOptions, SandboxSettings } from './internal/options.js'
export { type ScenarioName, type ScenarioTokens, tokens } from './internal/scenarios.js'
export { type SampleEventType, sampleEvent, samplePayment } from './samples.js'
export { createSandbox } from './sandbox.js'
export type { BodyMaker, Fault, Faults, OperationName } from './service/faults.js'
export type { RequestRecord } from './service/request-log.js'
export type { Delivery, StatusChange } from './store/records.js'
export type { Effect, SandboxSnapshot } from './store/store.js'
export { testWebhookStore, type WebhookStoreTest } from './test-webhook-store.js'
export type { Receiver } from './webhooks/receiver.js'
export type { SubscribeOptions, Webhooks } from './webhooks/webhooks.js'
