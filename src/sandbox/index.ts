export type { Clock } from './clock.js'
export type { Delivery, SubscribeOptions, Webhooks } from './deliveries.js'
export type { Duration } from './duration.js'
export type { BodyMaker, Fault, Faults } from './faults.js'
export type { Effect } from './ledger.js'
export type { SandboxOptions } from './options.js'
export type {
  DisputeControls,
  DisputeFields,
  LoyaltyControls,
  ProcessorControls,
  Sandbox,
  SandboxClientOptions,
  TokenizeOptions,
} from './public.js'
export type { Receiver } from './receiver.js'
export { createSandbox } from './sandbox.js'
export { type ScenarioName, type ScenarioTokens, tokens } from './scenarios.js'
export type { Answered, Listening, ListenOptions } from './server.js'
export type { SandboxSnapshot } from './store.js'
