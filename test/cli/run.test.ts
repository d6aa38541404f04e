import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../src/cli/run.js'
import { processTerminal } from '../../src/cli/terminal.js'
import { bundled } from '../support/bundle.js'
import { fakeTerminal } from './support.js'

beforeEach(() => {
  // Under npx, each terminal would check its parent process until the test process exits. The check fails during tests
  // of other files that remove `process`.
  vi.stubEnv('npm_command', undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  process.exitCode = undefined
})

describe('payments-client', () => {
  it.each([[[]], [['payments']]])(
    'prints its usage and fails if the arguments contain no command: %j',
    async (args) => {
      const { notes, output, run } = fakeTerminal()

      expect(await run(...args)).toBe(2)
      expect(notes).toContain('Commands:')
      expect(output).toEqual([])
    },
  )

  it('prints the version', async () => {
    const { output, run } = fakeTerminal()

    expect(await run('--version')).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)])
  })

  it.each([
    [['paymnets', 'list'], "unknown command 'paymnets'\n(Did you mean payments?)"],
    [['payments', 'lits'], "unknown command 'lits'\n(Did you mean list?)"],
    [['x'], "unknown command 'x'\nSee payments-client --help"],
    [['payments', 'get'], "missing required argument 'id'"],
    [['payments', 'list', 'more'], 'too many arguments'],
    [['payments', 'list', '--sttaus', 'X'], "unknown option '--sttaus'\n(Did you mean --status?)"],
    [['reconcile'], "required option '--orders <file>' not specified"],
    [['payments', 'list', '--limit'], "option '--limit <number>' argument missing"],
    [
      ['payments', 'list', '--limit', '0'],
      "'--limit <number>' argument '0' is invalid. It must be an integer of at least 1",
    ],
    [['payments', 'list', '--from-date', 'gestern'], '--from-date must be'],
    [
      ['payments', 'list', '--status', '', '--currency-code', 'euro'],
      /--status.* must be .*; --currency-code must be /,
    ],
    [['payments', 'get', ''], 'id must'],
    [['sandbox', '--port', '70000'], 'It must be an integer from 0 to 65535'],
    [['sandbox', '--webhook-url', 'http://127.0.0.1/', '--webhook-url', 'localhost:3000'], 'It must be a URL'],
    [['webhooks', 'send', 'shop'], "argument value 'shop' is invalid for argument 'url'. It must be a URL"],
    [['webhooks', 'send', 'https://shop.test', '--event', 'PAYMENT.STATSU'], 'Allowed choices are PAYMENT.STATUS, '],
    [
      ['webhooks', 'send', 'https://shop.test', '--rotate=yes'],
      "unknown option '--rotate' with a value: it takes none",
    ],
    [['sql', 'mysql'], 'Allowed choices are postgres, sqlite'],
    [['sql', 'sqlite', '--schema', 'shop'], '--schema is only for postgres'],
    [['sql', 'postgres', '--schema', 'a"b'], 'It must be at most 40 letters, digits and underscores'],
    [['webhooks', 'diagnose', 'body', '--hash', 'md5'], 'Allowed choices are sha256, sha384, sha512'],
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
    expect(notes.join('\n')).toMatch(message)
  })

  it.each([
    [['payments', 'list', '--api-key=a-secret'], "unknown option '--api-key'"],
    [['payments', 'list', '--api-key', 'a-secret'], "unknown option '--api-key'"],
    [['payments', 'list', '-ka-secret'], "unknown option '-k'"],
    [['doctor', '--secret=a-secret'], "unknown option '--secret'"],
    [['--secret=a-secret', 'doctor'], "unknown option '--secret'"],
    [['webhooks', 'send', 'https://shop.test', '--tamper=a-secret'], "unknown option '--tamper' with a value"],
    [['doctor', 'a-secret'], "too many arguments for 'doctor'. Expected 0 arguments but got 1."],
    // Suggests the name of a misspelt option that has a value
    [['payments', 'list', '--statsu=a-secret'], "unknown option '--statsu'\n(Did you mean --status?)"],
  ])('never prints the value of an unknown option, or a superfluous argument: %j', async (args, message) => {
    const { notes, run } = fakeTerminal()

    expect(await run(...args)).toBe(2)

    expect(notes.join('\n')).toContain(message)
    expect(notes.join('\n')).not.toContain('a-secret')
  })

  it('exits with code 1 and a stack trace after an unexpected error', async () => {
    const { notes, terminal } = fakeTerminal({ env: { PAYMENTS_WEBHOOK_SECRET: 'x'.repeat(24) } })
    const read = () => Promise.reject(new TypeError('a bug'))

    expect(await run(['webhooks', 'diagnose', '-', '--primary', 'c2ln'], { ...terminal, read })).toBe(1)
    expect(notes[0]).toBe('TypeError: a bug')
    expect(notes[1]).toMatch(/^ {4}at /)
  })
})

describe('the help of payments-client', () => {
  it.each(['--help', '-h', 'help'])('lists all commands with the argument %s', async (word) => {
    const { output, run } = fakeTerminal()

    expect(await run(word)).toBe(0)

    expect(output.join('\n')).toMatch(/^ {2}webhooks send\|diagnose {2,}Test your webhook receiver$/m)
    expect(output.at(-1)).toMatch(/^Exit codes: 0 success, 1 failure, 2 invalid command line/)
  })
})

describe('the command-line process', () => {
  it('runs the command given in the process arguments', async () => {
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    process.argv.splice(2, Infinity, 'payments', 'lits')

    await import('../../src/cli/main.js')

    expect(process.exitCode).toBe(2)
    expect(stdout).not.toHaveBeenCalled()
    expect(stderr.mock.calls.join('')).toMatch(/^error: unknown command 'lits'\n\(Did you mean list\?\)\n/)
  })

  it.each([
    ['exits silently when standard output is closed', 'stdout', 1],
    ['continues to run when standard error is closed', 'stderr', 0],
  ] as const)('%s', async (_, stream, exits) => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
    await import('../../src/cli/main.js')

    process[stream].emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))

    expect(exit).toHaveBeenCalledTimes(exits)
  })

  it('reports a full disk in one line, and exits with code 1', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const command = [await bundled('src/cli/main.ts'), 'sql', 'postgres']

    const { status, stderr } = spawnSync(process.execPath, command, { stdio: ['ignore', full, 'pipe'] })

    expect(status).toBe(1)
    expect(String(stderr)).toMatch(/^Cannot write to standard output: ENOSPC.*\n$/)
  })

  it.each(['stdout', 'stderr'] as const)('escapes control characters on %s', (stream) => {
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

  it('escapes control characters in a redrawn line, and fits it to the terminal', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { isTTY, columns } = process.stderr
    onTestFinished(() => void Object.assign(process.stderr, { isTTY, columns }))
    Object.assign(process.stderr, { isTTY: true, columns: 12 })

    processTerminal().redraw?.('100\x1b payments')

    expect(write.mock.calls.map(([text]) => text)).toEqual(['\x1b[1G', '\x1b[0K', '100\\u001b p'])
    Object.assign(process.stderr, { isTTY: false })
    expect(processTerminal().redraw).toBeUndefined()
  })

  it('reads the given file, or standard input if the file name is "-"', async () => {
    const input = Readable.from([Buffer.from('{"a":'), Buffer.from('1}')])
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never)

    const { read } = processTerminal()

    expect(Buffer.from(await read('-')).toString()).toBe('{"a":1}')
    expect(Buffer.from(await read('package.json')).toString()).toContain('"payments-client"')
    await expect(read('no-such-file')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' })
  })
})
