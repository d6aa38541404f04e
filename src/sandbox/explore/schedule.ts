/** The faults of a request that `explore` tries. */
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
  'key-conflict',
] as const

/** The moments of a request at which the process dies. */
export const crashKinds = ['before', 'after-effect', 'after-response'] as const

/** The disturbances of a webhook. */
export const webhookKinds = ['duplicate', 'delay', 'reorder', 'lose', 'during-crash'] as const

export type FaultKind = (typeof faultKinds)[number]
export type CrashKind = (typeof crashKinds)[number]
export type WebhookKind = (typeof webhookKinds)[number]

/** The response to an idempotency key that was used before. */
export type IdempotencyMode = 'replay' | 'conflict' | 'conflict-400'

/** One fault, crash or webhook disturbance. */
export interface Disturbance {
  /** The number of the request or webhook in the run, starting at 1. */
  readonly point: number
  readonly kind: FaultKind | CrashKind | WebhookKind
  /** Whether the scenario runs again from its start after the crash, as for a customer who reloads the page. */
  readonly repeat?: true
  /** The operation and its idempotency key, or the type of the webhook. */
  readonly request?: string
}

/** The disturbances of one run. */
export interface Schedule {
  readonly mode: IdempotencyMode
  readonly disturbances: readonly Disturbance[]
}

const isIn = <Kind extends string>(kinds: readonly Kind[], kind: string): kind is Kind => kinds.includes(kind as Kind)

export const isFault = (kind: string): kind is FaultKind => isIn(faultKinds, kind)
export const isCrash = (kind: string): kind is CrashKind => isIn(crashKinds, kind)
export const isWebhookKind = (kind: string): kind is WebhookKind => isIn(webhookKinds, kind)

/** Formats a schedule as a string for the option `replay`, for example `conflict/1:reset-after/2:status-429`. */
export function formatSchedule({ mode, disturbances }: Schedule): string {
  return [mode, ...disturbances.map(({ point, kind, repeat }) => `${point}:${kind}${repeat ? '+repeat' : ''}`)].join(
    '/',
  )
}

/** Parses the result of `formatSchedule`. Returns undefined for any other string. */
export function parseSchedule(text: string): Schedule | undefined {
  const [mode = '', ...parts] = text.split('/')
  const disturbances = parts.map((part) => /^(\d+):([\w-]+?)(\+repeat)?$/.exec(part))
  const isKind = (kind = '') => isFault(kind) || isCrash(kind) || isWebhookKind(kind)
  if (!isIn(['replay', 'conflict', 'conflict-400'] as const, mode)) return undefined
  if (!disturbances.every((match) => match !== null && isKind(match[2]))) return undefined
  return {
    mode,
    disturbances: disturbances.map((match) => ({
      point: Number(match?.[1]),
      kind: match?.[2] as Disturbance['kind'],
      ...(match?.[3] && { repeat: true as const }),
    })),
  }
}
