import type { SetOptional } from 'type-fest'
import * as z from 'zod'
import { isDate } from '../core/internal/foreign.js'
import { custom, integer, optionsOf, requireOptions, type Shape } from '../core/internal/validation.js'
import { type SignatureHash, signatureHashes } from './signature.js'

/** Options for `verify`. */
export interface VerifyOptions {
  /**
   * Hash function of the HMAC, as agreed with the service. The sender of a request cannot select it. @default 'sha256'
   */
  hash?: SignatureHash
  /** Maximum size of the body, in bytes. @default 1048576 */
  maxBytes?: number
  /**
   * Maximum difference between the event's time and the current time, in seconds. The event's time is `signedAt`, else
   * `date`. Events without a time (disputes) are accepted.
   *
   * Choose at least several minutes, because the service retries failed deliveries for that long.
   * @default no limit
   */
  tolerance?: number
  /** The current time for `tolerance`. @default the system clock */
  now?: Date | (() => Date)
}

export type VerifySettings = SetOptional<Required<VerifyOptions>, 'tolerance'>

const defaults: VerifySettings = { hash: 'sha256', maxBytes: 1024 * 1024, now: () => new Date(Date.now()) }

export const verifyShape: Shape<VerifyOptions> = {
  hash: z.enum(signatureHashes),
  maxBytes: integer(1),
  tolerance: custom((value) => Number.isFinite(value) && Number(value) > 0, 'must be a positive number of seconds'),
  now: custom((value) => isDate(value) || typeof value === 'function', 'must be a Date or a function that returns one'),
}

const verifyOptions = optionsOf<VerifyOptions>(verifyShape)

export function verifySettings(options: VerifyOptions | undefined): VerifySettings {
  return options === undefined ? defaults : { ...defaults, ...requireOptions(options, verifyOptions) }
}
