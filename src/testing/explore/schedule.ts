import type { SandboxSettings } from '../sandbox/internal/options.js'

/** The faults that `explore` tries for a request. */
export const faultKinds = [
  'refused',
  'reset-before',
  'reset-after',
  'status-408',
  'status-429',
  'status-503-before',
  'status-503-after',
  'status-401',
  'firewall-403',
  'cut-body',
  'html-body',
  'slow',
  'late-effect',
  'key-conflict',
] as const

/** The crashes to try: the process dies before a request, after the request took effect, or after its response. */
export const crashKinds = ['before', 'after-effect', 'after-response'] as const

/** The disturbances that `explore` tries for a webhook. */
export const webhookKinds = ['duplicate', 'delay', 'reorder', 'lose', 'during-crash'] as const

export type FaultKind = (typeof faultKinds)[number]
export type CrashKind = (typeof crashKinds)[number]
export type WebhookKind = (typeof webhookKinds)[number]

/** One fault, crash or webhook disturbance. */
export interface Disturbance {
  /** The number of the request or webhook in the run, starting at 1. */
  readonly point: number
  readonly kind: FaultKind | CrashKind | WebhookKind
  /** The operation and its idempotency key, or the type of the webhook. */
  readonly request?: string
}

/** The disturbances of one run. */
export interface Schedule {
  readonly mode: SandboxSettings['idempotency']
  /** With `repeat`, the scenario starts again after a crash, as for a customer who reloads the page. */
  readonly afterCrash: 'repeat' | 'settle'
  /** The disturbances of requests, followed by the disturbances of webhooks. */
  readonly disturbances: readonly Disturbance[]
}

export const isCrash = (kind: string): kind is CrashKind => (crashKinds as readonly string[]).includes(kind)
export const isWebhook = (kind: string): kind is WebhookKind => (webhookKinds as readonly string[]).includes(kind)

/** Formats a schedule for the option `replay`, for example `conflict/settle/1:reset-after/2:status-429`. */
export function formatSchedule({ mode, afterCrash, disturbances }: Schedule): string {
  return [mode, afterCrash, ...disturbances.map(({ point, kind }) => `${point}:${kind}`)].join('/')
}

/** Parses the result of `formatSchedule`. Returns undefined for any other string. */
export function parseSchedule(text: string): Schedule | undefined {
  const kinds = [...faultKinds, ...crashKinds, ...webhookKinds].join('|')
  const format = new RegExp(`^(replay|conflict|conflict-400)/(repeat|settle)((?:/\\d+:(?:${kinds}))*)$`)
  const [, mode, afterCrash, list = ''] = format.exec(text) ?? []
  if (mode === undefined) return undefined
  const disturbances = [...list.matchAll(/(\d+):([^/]+)/g)].map(([, point, kind]) => ({ point: Number(point), kind }))
  return { mode, afterCrash, disturbances } as Schedule
}
