export type { Clock } from './clock.js'
export { type ScenarioName, type ScenarioTokens, tokens } from './domain/scenarios.js'
export type { Duration } from './duration.js'
export type { BodyMaker, Fault } from './faults/fault.js'
export type { Faults } from './faults/faults.js'
export type { Answered, Listening, ListenOptions } from './http/server.js'
export type { SandboxOptions } from './options.js'
export { createSandbox } from './sandbox.js'
export type { Effect } from './store/ledger.js'
export type { SandboxSnapshot } from './store/store.js'
export type {
  DisputeControls,
  DisputeFields,
  LoyaltyControls,
  ProcessorControls,
  Sandbox,
  SandboxClientOptions,
  TokenizeOptions,
} from './types.js'
export type { Delivery, SubscribeOptions, Webhooks } from './webhooks/deliveries.js'
export type { Receiver } from './webhooks/receiver.js'
