import { diagnose } from '../webhooks/index.js'
import { defineCommand, required, UsageError } from './command.js'

/** `payments-client webhooks diagnose <file>` */
export const webhooksDiagnose = defineCommand({
  summary: 'Say why a webhook is not verified',
  operands: ['<file>'],
  options: {
    primary: { value: 'signature', help: 'What X-Signature-Primary held' },
    secondary: { value: 'signature', help: 'What X-Signature-Secondary held' },
    hash: { value: 'hash', help: 'sha256, sha384 or sha512 (default: sha256)' },
  },
  notes: [
    'The file is the body as your receiver saw it, byte for byte; - is the standard input.',
    'The signing secret is read from the environment variable PAYMENTS_WEBHOOK_SECRET; during a rotation give both,',
    'the new one first, with a comma between them.',
  ].join('\n'),
  async run({ values: { primary, secondary, hash }, operands: [file = ''] }, terminal) {
    if (primary === undefined && secondary === undefined) {
      throw new UsageError(
        'Give what the header X-Signature-Primary held: --primary <signature>. A webhook without it was not signed',
      )
    }
    const secrets = required(terminal, 'PAYMENTS_WEBHOOK_SECRET').split(',')
    const headers = { 'X-Signature-Primary': primary, 'X-Signature-Secondary': secondary }
    const options = hash === undefined ? {} : { hash: hash as 'sha256' }
    const { verified, code, message } = diagnose(await terminal.read(file), headers, secrets, options)
    terminal.print(`${code}: ${message}`)
    return verified ? 0 : 1
  },
})
