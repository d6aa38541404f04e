import type { ApiVersion } from '../../contract/version.js'
import { describeIssues, type Issue } from '../../internal/issues.js'
import { func, integer, type Rules, requireOptions, rule } from '../../internal/options.js'
import type { ClientOptions } from '../../options.js'
import type { Sandbox } from '../api.js'
import type { SandboxOptions } from '../internal/options.js'
import type { Effect } from '../store/store.js'
import type { Point } from './network.js'
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
import type { ExploreClock } from './virtual-time.js'

/** The parts that a process of the shop receives when it starts. */
export interface StartContext<Storage> {
  /** Options for the shop's `PaymentsClient`. Its requests, timers and keys belong to the exploration. */
  readonly clientOptions: Pick<ClientOptions<ApiVersion>, 'apiKey' | 'baseUrl' | 'fetch'>
  /** The shop's database: the same object for all processes of a run. */
  readonly storage: Storage
  /** The signing secret of the service's webhooks. */
  readonly webhookSecret: string
  /** Passes the shop's webhook handler, for example from `createHandler`. */
  receive(handler: (request: Request) => Response | Promise<Response>): void
  /** The clock of the run, for the shop's own timers. */
  readonly clock: ExploreClock
}

/** Options for `explore`. */
export interface ExploreOptions<Shop, Storage extends object = Record<string, never>> {
  /** Starts a process of the shop: at the beginning of a run, and after every simulated crash. */
  start(context: StartContext<Storage>): Shop | Promise<Shop>
  /** Does what a customer does. An error is a finding only in a run without faults. */
  scenario(shop: Shop, context: { sandbox: Sandbox }): unknown
  /** Runs the shop's own jobs once. Called until nothing changes any more. */
  settle?: (shop: Shop) => unknown
  /** Checks the rules of the shop at the end of a run. An error is a finding. */
  check?: (end: { sandbox: Sandbox; ledger: readonly Effect[]; storage: Storage }) => unknown
  /** Creates the storage of a run. @default an empty object */
  createStorage?: () => Storage | Promise<Storage>
  /** Removes the storage of a run. */
  disposeStorage?: (storage: Storage) => unknown
  /** The maximum number of runs. @default 500 */
  budget?: number
  /** The same seed gives the same ids, the same order and the same report. @default 1 */
  seed?: number | string
  /** The faults to try. @default all */
  faults?: readonly FaultKind[]
  /** The crashes to try. @default all */
  crashes?: readonly CrashKind[]
  /** The disturbances of webhooks to try. @default all */
  webhooks?: readonly WebhookKind[]
  /** Whether the customer does the same again after a crash. @default both are tried */
  afterCrash?: 'repeat' | 'settle'
  /** The number of runs at the same time. @default 8 */
  concurrency?: number
  /** Options of the sandbox. Without `idempotency`, the modes `replay` and `conflict` are tried. */
  sandbox?: SandboxOptions
  /** Built-in rules that do not apply to the shop, for example `{ 'charged twice': false }`. */
  rules?: Partial<Record<RuleName, boolean>>
  /** The `replay` string of a failure. Runs only its schedule. */
  replay?: string
  /** Called before each request, for example for a breakpoint. */
  onRequest?: (point: Point & { request: Request }) => void
  /** Called after each run. */
  onProgress?: (progress: { runs: number; budget: number; failures: number }) => void
}

const subsetOf = (kinds: readonly string[]) =>
  rule(
    (value) => Array.isArray(value) && value.every((kind) => kinds.includes(kind)),
    `must be an array of ${kinds.join(', ')}`,
    'invalid_value',
  )

/**
 * Returns the options if all of them are valid.
 *
 * @throws {TypeError} An option is unknown, invalid or missing.
 */
export function checkOptions<Shop, Storage extends object>(
  options: ExploreOptions<Shop, Storage>,
): ExploreOptions<Shop, Storage> {
  const rules: Rules<ExploreOptions<Shop, Storage>> = {
    start: func,
    scenario: func,
    settle: func,
    check: func,
    createStorage: func,
    disposeStorage: func,
    budget: integer(1),
    seed: rule((value) => Number.isFinite(value) || typeof value === 'string', 'must be a number or a string'),
    faults: subsetOf(faultKinds),
    crashes: subsetOf(crashKinds),
    webhooks: subsetOf(webhookKinds),
    afterCrash: rule((value) => value === 'repeat' || value === 'settle', "must be 'repeat' or 'settle'"),
    concurrency: integer(1, 1_000),
    sandbox: () => undefined,
    rules: rule(
      (value) => Object.keys(Object(value)).every((name) => (ruleNames as readonly string[]).includes(name)),
      `must be an object whose keys are ${ruleNames.join(', ')}`,
    ),
    replay: rule(
      (value) => typeof value === 'string' && parseSchedule(value) !== undefined,
      'must be the replay string of a failure',
    ),
    onRequest: func,
    onProgress: func,
  }
  const fail = (issues: Issue[]) => new TypeError(`Invalid options for explore: ${describeIssues(issues)}`)
  const values = requireOptions(options, rules, fail, { required: ['start', 'scenario'] })
  return values as ExploreOptions<Shop, Storage>
}
