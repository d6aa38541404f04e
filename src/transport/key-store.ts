import { namesOf } from '../contract/operation.js'
import { ConfigurationError, RequestValidationError } from '../errors.js'
import type { IdempotencyStore } from '../options.js'
import type { PreparedRequest } from './request.js'

/**
 * Write down which request a key stands for, before the first byte leaves. A key that stands for another request already is
 * refused: sent, it would bring that one's answer, or a conflict.
 */
export async function claimKey(store: IdempotencyStore, key: string, request: PreparedRequest): Promise<void> {
  const fingerprint = await fingerprintOf(request)
  const call = namesOf(request.operation)
  const known = await remember(store, key, fingerprint).catch(() => {
    throw new ConfigurationError('The idempotencyStore failed, or returned no text', {
      ...call,
      outcome: 'not_sent',
      attempts: [],
    })
  })
  if (known === fingerprint) return
  const message = 'was used for another request: the same key must come with the same operation, path and body'
  throw new RequestValidationError([{ path: ['options', 'idempotencyKey'], message }], call)
}

async function remember(store: IdempotencyStore, key: string, fingerprint: string): Promise<string> {
  const known: unknown = await store.claim(key, fingerprint)
  if (typeof known === 'string') return known
  throw new TypeError('not a fingerprint')
}

/** A hash, so that the store holds no customer data. */
async function fingerprintOf({ operation, target, body = '' }: PreparedRequest): Promise<string> {
  const bytes = new TextEncoder().encode(`${operation.method} ${target}\n${body}`)
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
