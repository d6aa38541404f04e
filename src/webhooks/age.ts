import { ConfigurationError, WebhookVerificationError } from '../errors.js'
import { toDate } from '../helpers/dates.js'
import type { VerifySettings } from './options.js'

/** Refuse an event that is older than `tolerance`. Without that option, or without a time in it, no event is too old. */
export function refuseTooOld(payload: unknown, { tolerance, now }: VerifySettings): void {
  if (tolerance === undefined) return
  const time = Number(typeof now === 'function' ? now() : now)
  if (Number.isNaN(time)) throw new ConfigurationError('Option now must give a valid Date')
  if (time - timeOf(payload) > tolerance * 1000) {
    throw new WebhookVerificationError('too-old', `The event is more than ${tolerance} seconds old (option tolerance)`)
  }
}

/** When the event was signed, else sent, in milliseconds since 1970; NaN, which is never too old, where it does not say. */
function timeOf(payload: unknown): number {
  const { signedAt, date } = Object(payload) as { signedAt?: unknown; date?: unknown }
  if (/^\d+(\.\d+)?$/.test(String(signedAt))) return Number(signedAt) * 1000
  try {
    return toDate(String(date)).getTime()
  } catch {
    return Number.NaN
  }
}
