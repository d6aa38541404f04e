import type { Context } from '../domain/context.js'
import type { SandboxOptions } from '../internal/options.js'
import type { ApiKeys } from '../service/api-keys.js'
import type { FaultQueue } from '../service/faults.js'
import type { RequestLog } from '../service/request-log.js'
import type { SandboxSnapshot } from '../store/store.js'
import type { WebhookSender } from '../webhooks/webhooks.js'

export interface Parts {
  readonly context: Context
  readonly keys: ApiKeys
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly webhooks: WebhookSender
  setOptions(changes: SandboxOptions): void
  snapshot(): SandboxSnapshot
  restore(snapshot: SandboxSnapshot): void
  reset(): void
}
