import { type Command, Option } from '@commander-js/extra-typings'
import { eventTypes } from '../core/schemas/known-values.js'
import { causeMessageOf } from '../testing/sandbox/internal/exchange.js'
import type { SampleEventType } from '../testing/sandbox/samples.js'
import { diagnose, sign } from '../webhooks/index.js'
import { isPadded } from '../webhooks/secrets.js'
import { signatureHashes } from '../webhooks/signature.js'
import {
  addCommand,
  addGroup,
  CommandFailed,
  checked,
  httpUrl,
  integerFrom,
  requiredVariable,
  UsageError,
} from './command.js'
import type { Terminal } from './terminal.js'

export const secretVariable = 'PAYMENTS_WEBHOOK_SECRET'
const timeoutMs = 10_000
const maxShownCharacters = 2_000
const tamperRejected = 'The receiver rejected the changed body, as it should'
const tamperAccepted =
  'The receiver did not respond 400 to a changed body: verify the signature of the raw body before you use it'
const secretMayDiffer = `The receiver may use a different secret than ${secretVariable}: compare the two`
const secretIsPadded = `${secretVariable} begins or ends with white space: remove it`

export function addWebhooksCommands(program: Command, terminal: Terminal): void {
  const webhooks = addGroup(
    program,
    'webhooks',
    'Test your webhook receiver',
    'webhooks send http://localhost:3000/webhooks --event PAYMENT.REFUND',
  )
  addSend(webhooks, terminal)
  addDiagnose(webhooks, terminal)
}

function addSend(webhooks: Command, terminal: Terminal): void {
  addCommand(
    webhooks,
    'send',
    'Send a signed webhook to your receiver and print its response',
    'webhooks send http://localhost:3000/webhooks --event PAYMENT.REFUND',
  )
    .argument('<url>', 'URL of your receiver', checked(httpUrl))
    .addOption(new Option('--event <type>', 'Type of the event').choices(eventTypes).default('PAYMENT.STATUS' as const))
    .option('--data <file>', 'Send the bytes of this file instead (- for standard input)')
    .option('--rotate', 'Sign with a new secret, and with yours in X-Signature-Secondary, as after a rotation')
    .option('--duplicate <number>', 'Send the webhook this many times', integerFrom(1), 1)
    .option('--tamper', 'Change the body after signing. Succeeds if the receiver responds 400')
    .addHelpText('after', `\nThe environment variable ${secretVariable} must contain the signing secret.`)
    .action(async (url, { event, data, rotate, duplicate, tamper, json }) => {
      const secret = requiredVariable(terminal, secretVariable)
      const signed = data === undefined ? await sample(event) : await terminal.read(data)
      const signatures = rotate ? sign(signed, crypto.randomUUID(), { previousSecret: secret }) : sign(signed, secret)
      const body = tamper ? new Uint8Array([...signed, 0x20]) : signed
      const request = { method: 'POST', headers: { ...signatures, 'content-type': 'application/json' }, body }
      let isExpected = true
      for (let sent = 0; sent < duplicate; sent++) {
        const result = await send(url, request, terminal)
        terminal.print(...(json ? [JSON.stringify(result)] : describeResult(result)))
        if ('error' in result) throw new CommandFailed()
        if (tamper ? result.status !== 400 : !result.ok) isExpected = false
        if (result.status === 400 && !tamper && !json)
          terminal.print(isPadded(secret) ? secretIsPadded : secretMayDiffer)
      }
      if (tamper && !json) terminal.print(isExpected ? tamperRejected : tamperAccepted)
      if (!isExpected) throw new CommandFailed()
    })
}

async function sample(event: SampleEventType): Promise<Uint8Array<ArrayBuffer>> {
  const { sampleEvent } = await import('../testing/index.js')
  return new TextEncoder().encode(JSON.stringify(sampleEvent(event)))
}

type SendResult = { readonly status: number; readonly ok: boolean; readonly body: string } | { readonly error: string }

/** Throws only if the command is interrupted. */
async function send(url: string, request: RequestInit, terminal: Terminal): Promise<SendResult> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), terminal.interrupted])
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal })
    return { status: response.status, ok: response.ok, body: await response.text() }
  } catch (error) {
    if (terminal.interrupted.aborted) throw error
    return { error: causeMessageOf(error) }
  }
}

function describeResult(result: SendResult): string[] {
  if ('error' in result) return [`No response: ${result.error}`]
  const { status, body } = result
  const lines = [`The receiver responded with status ${status}`]
  if (body !== '') lines.push(...body.slice(0, maxShownCharacters).trimEnd().split(/\r?\n/))
  if (body.length > maxShownCharacters) lines.push(`… (${body.length} characters)`)
  return lines
}

function addDiagnose(webhooks: Command, terminal: Terminal): void {
  addCommand(
    webhooks,
    'diagnose',
    'Explain why a webhook fails verification',
    "webhooks diagnose body.json --primary 'mkfO…='",
  )
    .argument('<file>', 'The exact bytes of the body that your receiver got (- for standard input)')
    .option('--primary <signature>', 'Value of the header X-Signature-Primary')
    .option('--secondary <signature>', 'Value of the header X-Signature-Secondary')
    .addOption(new Option('--hash <hash>', 'Hash of the signature').choices(signatureHashes).default('sha256' as const))
    .addHelpText('after', diagnoseNotes)
    .action(async (file, { primary, secondary, hash, json }) => {
      if (primary === undefined && secondary === undefined) {
        throw new UsageError(
          'Pass the header X-Signature-Primary: --primary <signature>. A webhook without this header is unsigned',
        )
      }
      const secrets = requiredVariable(terminal, secretVariable).split(',')
      const headers = { 'X-Signature-Primary': primary, 'X-Signature-Secondary': secondary }
      const { verified, code, message } = diagnose(await terminal.read(file), headers, secrets, { hash })
      terminal.print(json ? JSON.stringify({ verified, code, message }) : `${code}: ${message}`)
      if (!verified) throw new CommandFailed()
    })
}

const diagnoseNotes = `
The environment variable ${secretVariable} must contain the signing secret. During a rotation, set it to both
secrets, separated by a comma, with the new one first.`
