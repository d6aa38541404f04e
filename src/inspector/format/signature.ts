import { decode } from '../../webhooks/headers.js'
import { digestBytes, matchesAsync, type SignatureHash } from '../../webhooks/signature.js'
import type { RecordedDelivery } from '../api.js'

export async function signatureHeader(delivery: RecordedDelivery, secret: string): Promise<string | undefined> {
  for (const [name, value] of Object.entries(delivery.headers)) {
    if (!/^x-signature-/i.test(name)) continue
    for (const [hash, length] of Object.entries(digestBytes) as [SignatureHash, number][]) {
      const digest = decode(value, length)
      if (!digest) continue
      const check = { hash, secrets: [secret], body: delivery.body, signatures: [digest] }
      if (await matchesAsync(check)) return name
    }
  }
  return undefined
}

export async function explainSecret(
  delivery: RecordedDelivery,
  secret: string,
): Promise<{ text: string; isError?: boolean }> {
  if (delivery.body.includes('[…]')) {
    return {
      text: 'The sandbox masked a card number or secret in the body, so the page cannot check it.',
      isError: true,
    }
  }
  const header = await signatureHeader(delivery, secret)
  if (header)
    return { text: `The secret is right: it matches ${header}. Check that your receiver verifies the raw body.` }
  const trimmed = secret.trim().replace(/^(["'])(.*)\1$/, '$2')
  if (trimmed !== secret && (await signatureHeader(delivery, trimmed))) {
    return { text: 'The secret is right without the spaces or quotes around it. Remove them.', isError: true }
  }
  return {
    text: 'Wrong secret: the sandbox signed this webhook with another secret. Set PAYMENTS_WEBHOOK_SECRET of your receiver to the value that the sandbox printed when it started, or get a new secret with Rotate secret.',
    isError: true,
  }
}
