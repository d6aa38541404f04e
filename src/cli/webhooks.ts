import { integer, oneOf } from '../internal/options.js'
import { type SampleEventType, sampleEvent, sampleEventTypes } from '../sandbox/samples.js'
import { diagnose, sign } from '../webhooks/index.js'
import { defineCommand, httpUrl, requiredVariable, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

const secretVariable = 'PAYMENTS_WEBHOOK_SECRET'
const timeoutMs = 10_000
const maxShownCharacters = 2_000
const tamperRejected = 'The receiver rejected the changed body, as it should'
const tamperAccepted =
  'The receiver did not respond 400 to a changed body: verify the signature of the raw body before you use it'
const hashes = ['sha256', 'sha384', 'sha512'] as const

/** `payments-client webhooks send <url>` */
export const webhooksSend = defineCommand({
  summary: 'Send a signed webhook to your receiver and print its response',
  operands: ['<url>'],
  options: {
    event: {
      value: 'type',
      help: `Type of the event: ${sampleEventTypes.join(', ')} (default: PAYMENT.STATUS)`,
      rule: oneOf(...sampleEventTypes),
    },
    data: { value: 'file', help: 'Send the bytes of this file instead (- for standard input)' },
    rotate: { help: 'Sign as after a rotation: with a new secret, and with yours in X-Signature-Secondary' },
    duplicate: {
      value: 'number',
      help: 'Send the webhook this many times (default: 1)',
      number: true,
      rule: integer(1),
    },
    tamper: { help: 'Change the body after signing. Succeeds if the receiver responds 400' },
  },
  notes: [`The environment variable ${secretVariable} must contain the signing secret.`],
  async run({ values, operands: [url = ''] }, terminal) {
    const { event = 'PAYMENT.STATUS', data, rotate, duplicate = 1, tamper } = values
    const secret = requiredVariable(terminal, secretVariable)
    const problem = httpUrl(url)
    if (problem) throw new UsageError(`<url> ${problem.message}`)
    const sample = () => new TextEncoder().encode(JSON.stringify(sampleEvent(event as SampleEventType)))
    const signed = data === undefined ? sample() : await terminal.read(data)
    const signatures = rotate ? sign(signed, crypto.randomUUID(), { previousSecret: secret }) : sign(signed, secret)
    const body = tamper ? new Uint8Array([...signed, 0x20]) : signed
    const request = { method: 'POST', headers: { ...signatures, 'content-type': 'application/json' }, body }
    try {
      let isExpected = true
      for (let sent = 0; sent < duplicate; sent++) {
        const response = await send(url, request, terminal)
        if (tamper ? response.status !== 400 : !response.ok) isExpected = false
      }
      if (tamper) terminal.print(isExpected ? tamperRejected : tamperAccepted)
      return isExpected ? 0 : 1
    } catch (error) {
      if (terminal.interrupted.aborted) throw error
      terminal.print(`No response: ${describeFailure(error)}`)
      return 1
    }
  },
})

async function send(url: string, request: RequestInit, terminal: Terminal): Promise<Response> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), terminal.interrupted])
  const response = await fetch(url, { ...request, redirect: 'manual', signal })
  const body = await response.text()
  terminal.print(`The receiver responded with status ${response.status}`)
  if (body !== '') terminal.print(...body.slice(0, maxShownCharacters).trimEnd().split(/\r?\n/))
  if (body.length > maxShownCharacters) terminal.print(`… (${body.length} characters)`)
  return response
}

/**
 * Returns the message of a failed fetch's `cause`. Returns its code if the message is empty, for example because all
 * addresses of the host failed.
 */
function describeFailure(error: unknown): string {
  const { cause = error } = error as { cause?: unknown }
  const { message, code } = cause as NodeJS.ErrnoException
  return message || String(code)
}

/** `payments-client webhooks diagnose <file>` */
export const webhooksDiagnose = defineCommand({
  summary: 'Explain why a webhook fails verification',
  operands: ['<file>'],
  options: {
    primary: { value: 'signature', help: 'Value of the header X-Signature-Primary' },
    secondary: { value: 'signature', help: 'Value of the header X-Signature-Secondary' },
    hash: {
      value: 'hash',
      help: `Hash of the signature: ${hashes.join(', ')} (default: sha256)`,
      rule: oneOf(...hashes),
    },
  },
  notes: [
    'The file must contain the exact bytes of the body that your receiver got. Pass - to read standard input.',
    `The environment variable ${secretVariable} must contain the signing secret. During a rotation, set it to both`,
    'secrets, separated by a comma, with the new one first.',
  ],
  async run({ values: { primary, secondary, hash = 'sha256' }, operands: [file = ''] }, terminal) {
    if (primary === undefined && secondary === undefined) {
      throw new UsageError(
        'Pass the header X-Signature-Primary: --primary <signature>. A webhook without this header is unsigned',
      )
    }
    const secrets = requiredVariable(terminal, secretVariable).split(',')
    const headers = { 'X-Signature-Primary': primary, 'X-Signature-Secondary': secondary }
    const body = await terminal.read(file)
    const { verified, code, message } = diagnose(body, headers, secrets, { hash: hash as (typeof hashes)[number] })
    terminal.print(`${code}: ${message}`)
    return verified ? 0 : 1
  },
})
