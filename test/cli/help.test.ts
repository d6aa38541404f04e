import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/run.js'

/** What a command line prints. */
async function printed(...args: string[]): Promise<string> {
  const lines: string[] = []
  const unused = () => {
    throw new Error('help needs nothing of this')
  }
  const terminal = { print: (line: string) => void lines.push(line), note: unused, read: unused, env: {} }
  const code = await run(args, { ...terminal, interrupted: new AbortController().signal })
  expect(code).toBe(0)
  return lines.join('\n')
}

describe('payments-client --help', () => {
  it.each(['--help', '-h', 'help'])('lists the commands: %s', async (word) => {
    expect(await printed(word)).toMatchInlineSnapshot(`
      "Usage: payments-client <command> [options]

      Commands:
        sandbox            Run the whole service on this machine, in memory
        webhooks send      Send a signed webhook to your receiver, and say what it answered
        webhooks diagnose  Say why a webhook is not verified
        payments list      Print payments as JSON, one a line
        payments get       Print a payment as JSON

      payments-client <command> --help explains a command. --version prints the version.
      Exit codes: 0 all went well, 1 it failed, 2 the command line or the environment is wrong."
    `)
  })
})

describe('payments-client <command> --help', () => {
  it('explains sandbox', async () => {
    expect(await printed('sandbox', '--help')).toMatchInlineSnapshot(`
      "Usage: payments-client sandbox [options]

      Run the whole service on this machine, in memory.

      Options:
        --port <number>      Port to listen on, 0 for a free one (default: 4010)
        --host <address>     Address to listen on (default: 127.0.0.1, this machine only)
        --webhook-url <url>  Send webhooks here; may be repeated
        --seed <text>        The same seed makes the same keys and ids (default: new ones)
        --help               Explain this command

      It runs until Ctrl+C and then forgets everything. Every request and webhook is logged on standard error."
    `)
  })

  it('explains webhooks send', async () => {
    expect(await printed('webhooks', 'send', '--help')).toMatchInlineSnapshot(`
      "Usage: payments-client webhooks send <url> [options]

      Send a signed webhook to your receiver, and say what it answered.

      Options:
        --event <type>  A sample: PAYMENT.STATUS, PAYMENT.REFUND, DISPUTE.STATUS (default: PAYMENT.STATUS)
        --data <file>   Send this file instead, byte for byte; - is the standard input
        --help          Explain this command

      The signing secret is read from the environment variable PAYMENTS_WEBHOOK_SECRET."
    `)
  })

  it('explains webhooks diagnose', async () => {
    expect(await printed('webhooks', 'diagnose', '--help')).toMatchInlineSnapshot(`
      "Usage: payments-client webhooks diagnose <file> [options]

      Say why a webhook is not verified.

      Options:
        --primary <signature>    What X-Signature-Primary held
        --secondary <signature>  What X-Signature-Secondary held
        --hash <hash>            sha256, sha384 or sha512 (default: sha256)
        --help                   Explain this command

      The file is the body as your receiver saw it, byte for byte; - is the standard input.
      The signing secret is read from the environment variable PAYMENTS_WEBHOOK_SECRET; during a rotation give both,
      the new one first, with a comma between them."
    `)
  })

  it('explains payments list', async () => {
    expect(await printed('payments', 'list', '--help')).toMatchInlineSnapshot(`
      "Usage: payments-client payments list [options]

      Print payments as JSON, one a line.

      Options:
        --status <status,…>                 Any of these, e.g. SETTLED,DECLINED
        --payment-method-type <type>        e.g. PAYMENT_CARD
        --processor <name>                  Name of the processor
        --currency-code <code>              e.g. EUR
        --from-date <datetime>              Created then or later, ISO 8601
        --to-date <datetime>                Created then or earlier, ISO 8601
        --order-id <id>                     Of this order
        --min-amount <amount>               At least, in minor units
        --max-amount <amount>               At most, in minor units
        --customer-id <id>                  Of this customer
        --merchant-id <id>                  Of this merchant
        --customer-email-address <address>  Of the customer with this address
        --last-4-digits <digits>            Last four digits of the card
        --partnera-email <address>          Of a first third-party wallet account
        --partnerb-email <address>          Of a second third-party account
        --limit <number>                    Print at most so many (default: all)
        --cursor <cursor>                   Start here instead of at the beginning
        --help                              Explain this command

      The environment says where and who: PAYMENTS_BASE_URL, PAYMENTS_API_KEY."
    `)
  })

  it('explains payments get', async () => {
    expect(await printed('payments', 'get', '-h')).toMatchInlineSnapshot(`
      "Usage: payments-client payments get <id> [options]

      Print a payment as JSON.

      Options:
        --help  Explain this command

      The environment says where and who: PAYMENTS_BASE_URL, PAYMENTS_API_KEY."
    `)
  })
})
