import { sha256Sync } from '../internal/bytes.js'

/** The kinds of decisions about an order. */
export const decisionKinds = ['pay', 'capture', 'refund', 'cancel'] as const

/** A kind of decision about an order. */
export type DecisionKind = (typeof decisionKinds)[number]

/** The parts of an idempotency key that `payments-client/orders` derives. */
export interface OrderKey {
  readonly kind: DecisionKind
  /** The order's ID. A long ID is replaced by its hash, with the prefix `h_`. */
  readonly orderId: string
  /** The ID of the capture, refund or cancellation, if it has one. */
  readonly id?: string | undefined
  /** The number of the attempt, starting at 1. */
  readonly number: number
}

/** The maximum length of an encoded part. A longer part is replaced by its hash. */
const maxPartLength = 90

/** Derives the idempotency key of one attempt to carry out a decision. */
export function toOrderKey(prefix: string, { kind, orderId, id, number }: OrderKey): string {
  return [prefix + kind, encodePart(orderId), ...(id === undefined ? [] : [encodePart(id)]), number].join('-')
}

/**
 * Parses an idempotency key that `toOrderKey` derived.
 *
 * @param prefix The prefix of the shop's keys, if it is known. By default, any prefix is skipped.
 * @returns The parts of the key, or undefined for any other key.
 */
export function parseOrderKey(key: string, prefix?: string): OrderKey | undefined {
  if (prefix !== undefined && !key.startsWith(prefix)) return undefined
  const [, before = '', kind, orderId = '', id, number] =
    /^(.*?)(pay|capture|refund|cancel)-([^-]+)(?:-([^-]+))?-([1-9]\d*)$/.exec(key) ?? []
  if (kind === undefined || (prefix !== undefined && before !== prefix)) return undefined
  try {
    return {
      kind: kind as DecisionKind,
      orderId: decodeURIComponent(orderId),
      ...(id !== undefined && { id: decodeURIComponent(id) }),
      number: Number(number),
    }
  } catch {
    return undefined
  }
}

/** Encodes a part of a key, including `-`, which separates the parts. */
function encodePart(part: string): string {
  const encoded = encodeURIComponent(part).replaceAll('-', '%2D')
  return encoded.length > maxPartLength ? `h_${sha256Sync(part)}` : encoded
}
