import { type Body, readBody } from '../../../webhooks/body.js'
import { WebhookVerificationError } from '../../../webhooks/errors.js'

/**
 * Reads a body as UTF-8. Resolves to undefined as soon as the body is too large, and discards the rest.
 *
 * @throws {Error} The client disconnected.
 */
export async function readText(body: Body, maxBytes: number): Promise<string | undefined> {
  try {
    const raw = await readBody(body, maxBytes)
    return typeof raw === 'string' ? raw : new TextDecoder().decode(raw)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined
    throw error
  }
}
