import type * as z from 'zod'
import type { Sandbox } from '../api.js'
import type { Context } from '../domain/context.js'
import type { FaultQueue } from '../service/faults.js'
import type { RequestLog } from '../service/request-log.js'
import type { WebhookSender } from '../webhooks/webhooks.js'

/** The sandbox, with its internal state that the control API and the inspector read. */
export interface Source {
  readonly sandbox: Sandbox
  readonly context: Context
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly webhooks: WebhookSender
  /** The pages of the server. Passed to the sandbox, because the sandbox does not import the inspector. */
  readonly inspector?: Inspector | undefined
}

/** Responds to a GET request below `/__sandbox/`. Resolves to undefined if there is no such page. */
export type Inspector = (source: Source, url: URL) => Promise<Response | undefined>

export type AnyShape = Readonly<Record<string, z.ZodType>>

/** An endpoint of the control API: a read (`GET <path>`) or an action (`POST actions/<name>`). */
export interface Endpoint<Input extends AnyShape = AnyShape, Output = unknown> {
  readonly summary: string
  /** The query parameters of a read, or the arguments of an action. */
  readonly input: z.ZodObject<Input, z.core.$strict>
  /** The fields of the response for the documentation, separated by commas. `?` marks an optional field. */
  readonly fields: string
  /** The maximum body size in bytes. @default 1 MiB */
  readonly maxBytes?: number
  /** Whether the output is a new API key or signing secret. If so, the response does not mask it. */
  readonly createsSecret?: boolean
  /** @param id The value of `:id` in the path. */
  run(source: Source, input: z.output<z.ZodObject<Input, z.core.$strict>>, id: string): Output | Promise<Output>
}
