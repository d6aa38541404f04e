import type { VirtualClock } from '../clock.js'
import type { SandboxSettings } from '../options.js'
import type { Random } from '../random.js'
import type { Store } from '../store/store.js'
import type { Events } from '../webhooks/events.js'
import type { Payments } from './payments.js'
import type { Sessions } from './sessions.js'
import type { Vault } from './vault.js'

/** What a handler, and the outside world, works with. */
export interface Desk {
  readonly settings: SandboxSettings
  readonly clock: VirtualClock
  readonly random: Random
  readonly store: Store
  readonly payments: Payments
  readonly sessions: Sessions
  readonly vault: Vault
  readonly events: Events
}
