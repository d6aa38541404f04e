import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/run.js'
import { processTerminal } from '../../src/cli/terminal.js'
import { fakeTerminal } from './support.js'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

describe('payments-client', () => {
  it('prints the usage overview and fails if no command is given', async () => {
    const { output, run } = fakeTerminal()

    expect(await run()).toBe(2)
    expect(output).toContain('Commands:')
  })

  it('prints the version', async () => {
    const { output, run } = fakeTerminal()

    expect(await run('--version')).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)])
  })

  it.each([
    [['paymnets', 'list'], 'Unknown command "paymnets list". Did you mean "payments list"?'],
    [['x'], 'Unknown command "x". See payments-client --help'],
    [['payments', 'get'], 'Expected: payments-client payments get <id>'],
    [['payments', 'list', 'more'], 'Expected: payments-client payments list'],
    [['payments', 'list', '--sttaus', 'X'], '--sttaus is not an option: did you mean "--status"?'],
    [['sandbox', '--verbose'], '--verbose is not an option'],
    [['payments', 'list', '-x'], '-x is not an option'],
    [['payments', 'list', '--limit'], '--limit must be an integer of at least 1'],
    [['payments', 'list', '--order-id'], '--order-id must be a string'],
    [['payments', 'list', '--limit', '0'], '--limit must be an integer of at least 1'],
    [['payments', 'list', '--min-amount', '7.00'], '--min-amount must be an integer of at least 0'],
    [['payments', 'list', '--from-date', 'gestern'], '--from-date must be'],
    [
      ['payments', 'list', '--status', '', '--currency-code', 'euro'],
      /--status.* must be .*; --currency-code must be /,
    ],
    [['payments', 'list', '--cursor', ''], '--cursor must'],
    [['payments', 'get', ''], 'id must'],
    [['sandbox', '--port', '70000'], '--port must be an integer from 0 to 65535'],
    [
      ['sandbox', '--webhook-url', 'http://127.0.0.1/', '--webhook-url', 'localhost:3000'],
      '--webhook-url must be a URL',
    ],
    [['webhooks', 'send', 'shop'], '<url> must be a URL'],
    [['webhooks', 'send', 'https://shop.test', '--event', 'PAYMENT.STATSU'], "--event must be 'PAYMENT.STATUS', "],
    [['webhooks', 'send', 'https://shop.test', '--duplicate', '0'], '--duplicate must be an integer of at least 1'],
    [['webhooks', 'send', 'https://shop.test', '--rotate=yes'], '--rotate must be true or false'],
    [['sql'], 'Expected: payments-client sql <database>'],
    [['sql', 'mysql'], '<database> must be postgres or sqlite'],
    [['sql', 'sqlite', '--schema', 'shop'], '--schema is only for postgres'],
    [['sql', 'postgres', '--schema', 'a"b'], '--schema must be at most 40 letters, digits and underscores'],
    [['webhooks', 'diagnose', 'body', '--hash', 'md5'], "--hash must be 'sha256', 'sha384' or 'sha512'"],
    [['webhooks', 'diagnose', 'body'], 'Pass the header X-Signature-Primary: --primary <signature>'],
  ])('rejects the arguments %j', async (args, message) => {
    const env = {
      PAYMENTS_API_KEY: 'key',
      PAYMENTS_BASE_URL: 'https://api.test',
      PAYMENTS_WEBHOOK_SECRET: 'x'.repeat(24),
    }
    const { notes, output, run } = fakeTerminal({ env })

    expect(await run(...args)).toBe(2)
    expect(output).toEqual([])
    expect(notes).toEqual([
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    ])
  })

  it('prints the stack trace of an unexpected error and exits with code 1', async () => {
    const { notes, terminal } = fakeTerminal({ env: { PAYMENTS_WEBHOOK_SECRET: 'x'.repeat(24) } })
    const read = () => Promise.reject(new TypeError('a bug'))

    expect(await run(['webhooks', 'diagnose', '-', '--primary', 'c2ln'], { ...terminal, read })).toBe(1)
    expect(notes[0]).toBe('TypeError: a bug')
    expect(notes[1]).toMatch(/^ {4}at /)
  })
})

describe('payments-client --help', () => {
  async function help(...args: string[]): Promise<string> {
    const { output, run } = fakeTerminal()
    expect(await run(...args)).toBe(0)
    return output.join('\n')
  }

  it.each(['--help', '-h', 'help'])('lists all commands: %s', async (word) => {
    expect(await help(word)).toMatchInlineSnapshot(`
      "Usage: payments-client <command> [options]

      Commands:
        sandbox            Run the sandbox, which simulates the service, on this machine
        webhooks send      Send a signed webhook to your receiver and print its response
        webhooks diagnose  Explain why a webhook fails verification
        payments list      Print payments as JSON, one per line
        payments get       Print a payment as JSON
        sql                Print the SQL that creates the tables of the stores

      payments-client <command> --help shows the options of a command. payments-client --version prints the version.
      Exit codes: 0 success, 1 failure, 2 invalid command line or environment variable, 130 interrupted."
    `)
  })

  it('describes the command webhooks send', async () => {
    expect(await help('webhooks', 'send', '--help')).toMatchInlineSnapshot(`
      "Usage: payments-client webhooks send <url> [options]

      Send a signed webhook to your receiver and print its response.

      Options:
        --event <type>        Type of the event: PAYMENT.STATUS, PAYMENT.REFUND, DISPUTE.STATUS (default: PAYMENT.STATUS)
        --data <file>         Send the bytes of this file instead (- for standard input)
        --rotate              Sign as after a rotation: with a new secret, and with yours in X-Signature-Secondary
        --duplicate <number>  Send the webhook this many times (default: 1)
        --tamper              Change the body after signing. Succeeds if the receiver responds 400
        --help                Show this help

      The environment variable PAYMENTS_WEBHOOK_SECRET must contain the signing secret."
    `)
  })

  it.each([
    ['sandbox', ['--port', '--host', '--webhook-url', '--seed']],
    ['webhooks diagnose', ['<file>', '--primary', '--secondary', '--hash', 'PAYMENTS_WEBHOOK_SECRET']],
    ['payments list', ['--status', '--last-4-digits', '--partnera-email', '--limit', '--cursor', 'PAYMENTS_API_KEY']],
    ['payments get', ['<id>', 'PAYMENTS_BASE_URL']],
    ['sql', ['<database>', '--schema', '--table-prefix']],
  ])('describes the command %s', async (command, words) => {
    const printed = await help(...command.split(' '), '-h')

    for (const word of [`payments-client ${command}`, ...words]) expect(printed).toContain(word)
  })
})

describe('the command-line process', () => {
  it('runs the command that its arguments name', async () => {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    process.argv.splice(2, Infinity, 'payments', 'lits')

    await import('../../src/cli/main.js')

    expect(process.exitCode).toBe(2)
    expect(stdout).not.toHaveBeenCalled()
    expect(stderr).toHaveBeenCalledWith(expect.stringMatching(/^Unknown command "payments lits".*\n$/))
  })

  it('exits silently when the reader of its standard output closes the pipe', async () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
    await import('../../src/cli/main.js')

    process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))

    expect(exit).toHaveBeenCalledOnce()
    expect(() => process.stdout.emit('error', new Error('disk full'))).toThrow('disk full')
  })

  it.each(['stdout', 'stderr'] as const)('N15 escapes control characters on %s', (stream) => {
    const write = vi.spyOn(process[stream], 'write').mockReturnValue(true)
    const { print, note } = processTerminal()
    const data = 'a\x00b\x1b[2J\r\n\x7f\x9b2J \u202eb\u2066c\u200f\u061cd é'

    if (stream === 'stdout') print(JSON.stringify({ data }))
    else note(data, 'next line')

    const escaped = 'a\\u0000b\\u001b[2J\\u000d\\u000a\\u007f\\u009b2J \\u202eb\\u2066c\\u200f\\u061cd é'
    if (stream === 'stdout') {
      const [[line]] = write.mock.calls as [[string]]
      expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}](?!$)/u)
      expect(JSON.parse(line)).toEqual({ data })
    } else {
      expect(write.mock.calls).toEqual([[`${escaped}\n`], ['next line\n']])
    }
  })

  it('reads the named file, or standard input for -', async () => {
    const input = Readable.from([Buffer.from('{"a":'), Buffer.from('1}')])
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never)

    const { read } = processTerminal()

    expect(Buffer.from(await read('-')).toString()).toBe('{"a":1}')
    expect(Buffer.from(await read('package.json')).toString()).toContain('"payments-client"')
    await expect(read('no-such-file')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('aborts the running command on %s', (signal) => {
    const { interrupted } = processTerminal()

    process.emit(signal)

    expect(interrupted.aborted).toBe(true)
  })
})
