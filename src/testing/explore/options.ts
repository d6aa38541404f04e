import type { SetRequired } from 'type-fest'
import * as z from 'zod'
import type { ApiVersion } from '../../core/contract/version.js'
import { anyValue, boolean, custom, func, integer, optionsOf } from '../../core/internal/validation.js'
import type { ClientOptions } from '../../core/options.js'
import type { Sandbox } from '../sandbox/api.js'
import { optionShape, requireOptions, type SandboxOptions } from '../sandbox/internal/options.js'
import type { Effect } from '../sandbox/store/store.js'
import type { Point } from './network.js'
import type { ExploreClock } from './process.js'
import { type RuleName, ruleNames } from './rules.js'
import {
  type CrashKind,
  crashKinds,
  type FaultKind,
  faultKinds,
  parseSchedule,
  type WebhookKind,
  webhookKinds,
} from './schedule.js'

/** The values that each process of the shop receives when it starts. */
export interface StartContext<Storage> {
  /**
   * Options for the shop's `PaymentsClient`. They let `explore` control the client's requests, timers and idempotency
   * keys.
   */
  readonly clientOptions: Pick<ClientOptions<ApiVersion>, 'apiKey' | 'baseUrl' | 'fetch'>
  /** The shop's database. All processes of a run receive the same object. */
  readonly storage: Storage
  /** The signing secret of the service's webhooks. */
  readonly webhookSecret: string
  /** Registers the shop's webhook handler, for example one from `createHandler`. */
  receive(handler: (request: Request) => Response | Promise<Response>): void
  /** The simulated clock. Use it for the shop's own timers. */
  readonly clock: ExploreClock
}

/** Options for `explore`. */
// biome-ignore lint/suspicious/noExplicitAny: the shop decides what it stores.
export interface ExploreOptions<Shop, Storage = any> {
  /** Starts a process of the shop: at the beginning of a run, and after every simulated crash. */
  start(context: StartContext<Storage>): Shop | Promise<Shop>
  /** Performs a customer's actions in the shop. An error counts as a failure only in a run without faults. */
  scenario(shop: Shop, context: { sandbox: Sandbox }): unknown
  /** Runs the shop's background jobs once. `explore` repeats the call until nothing changes. */
  settle?: (shop: Shop) => unknown
  /** Checks the shop's own rules at the end of a run. An error counts as a failure. */
  check?: (end: { sandbox: Sandbox; ledger: readonly Effect[]; storage: Storage }) => unknown
  /** Creates the storage (the shop's database) for one run. @default an empty object */
  createStorage?: () => Storage | Promise<Storage>
  /** Removes the storage after the run. */
  disposeStorage?: (storage: Storage) => unknown
  /** The maximum number of runs. @default 500 */
  budget?: number
  /** The same seed leads to the same IDs, the same order of runs and the same report. @default 1 */
  seed?: number | string
  /** The faults to try. @default all */
  faults?: readonly FaultKind[]
  /** The crashes to try. @default all */
  crashes?: readonly CrashKind[]
  /** The webhook disturbances to try. @default all */
  webhooks?: readonly WebhookKind[]
  /**
   * The ways to continue after a crash. With `'repeat'`, the scenario starts again, as for a customer who reloads the
   * page. With `'settle'`, only the jobs run. @default both
   */
  afterCrash?: 'repeat' | 'settle'
  /** The number of runs that are in progress at the same time. @default 8 */
  concurrency?: number
  /** Options for the sandbox. If `idempotency` is absent, `explore` tries the modes `replay` and `conflict`. */
  sandbox?: SandboxOptions
  /** Built-in rules to switch off for this shop, for example `{ 'charged twice': false }`. */
  rules?: Partial<Record<RuleName, boolean>>
  /** The `replay` string of a failure. `explore` then runs only the schedule of this failure. */
  replay?: string
  /** Called before each request, for example for a breakpoint. The run waits for a returned promise. */
  onRequest?: (point: Point & { request: Request }) => unknown
  /** Called after each run. `runs` is the number of finished runs, and `failures` the number that broke a rule. */
  onProgress?: (progress: { runs: number; budget: number; failures: number }) => void
}

/** The options with their defaults. */
export type Settings = SetRequired<ExploreOptions<unknown>, keyof typeof defaults>

const defaults = {
  settle: () => {},
  budget: 500,
  seed: 1,
  faults: faultKinds,
  crashes: crashKinds,
  webhooks: webhookKinds,
  concurrency: 8,
  sandbox: {},
} satisfies Partial<ExploreOptions<unknown>>

const subsetOf = <Name extends string>(names: readonly Name[]) =>
  z.array(z.enum(names), `must be an array of ${names.join(', ')}`)

const schema = optionsOf<ExploreOptions<unknown>>(
  {
    start: func(),
    scenario: func(),
    settle: func(),
    check: func(),
    createStorage: func(),
    disposeStorage: func(),
    budget: integer(1),
    seed: optionShape.seed,
    faults: subsetOf(faultKinds),
    crashes: subsetOf(crashKinds),
    webhooks: subsetOf(webhookKinds),
    afterCrash: z.enum(['repeat', 'settle']),
    concurrency: integer(1, 1_000),
    // Accepts any value here, because `createSandbox` checks these options.
    sandbox: anyValue,
    rules: z.strictObject(Object.fromEntries(ruleNames.map((name) => [name, boolean.optional()]))),
    replay: custom((value) => parseSchedule(String(value)) !== undefined, 'must be the replay string of a failure'),
    onRequest: func(),
    onProgress: func(),
  },
  ['start', 'scenario'],
)

/**
 * Returns the options if all of them are valid.
 *
 * @throws {TypeError} An option is unknown, invalid or missing.
 */
export function settingsFrom(options: unknown): Settings {
  return { ...defaults, ...requireOptions('explore', options, schema) } as Settings
}
