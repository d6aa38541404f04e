import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/run.js'
import { processTerminal, type Terminal } from '../../src/cli/terminal.js'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { createHandler, sign } from '../../src/webhooks/index.js'

const secret = 'a signing secret of length'

const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A command line, and what it shows. */
function terminal({ env = {}, files = {} }: { env?: Terminal['env']; files?: Record<string, string> } = {}) {
  const interrupted = new AbortController()
  const output: string[] = []
  const notes: string[] = []
  const listeners: (() => void)[] = []
  const told = (lines: string[]) => (line: string) => {
    lines.push(line)
    for (const listener of listeners) listener()
  }
  return {
    output,
    notes,
    interrupt: () => interrupted.abort(),
    /** Resolves with the first line that fits, on either stream. */
    line: (pattern: RegExp) =>
      new Promise<string>((resolve) => {
        const look = () => {
          const found = [...output, ...notes].find((line) => pattern.test(line))
          if (found !== undefined) resolve(found)
        }
        listeners.push(look)
        look()
      }),
    run: (...args: string[]) =>
      run(args, {
        env,
        print: told(output),
        note: told(notes),
        read: async (path) => new TextEncoder().encode(files[path] ?? ''),
        interrupted: interrupted.signal,
      }),
  }
}

/** A sandbox on HTTP with some payments, and the environment that leads there. */
async function service(orders: readonly string[] = []) {
  const sandbox = createSandbox()
  const { url, close } = await sandbox.listen()
  closers.push(close)
  const client = new PaymentsClient(sandbox.clientOptions())
  const payments = []
  for (const orderId of orders) {
    payments.push(
      await client.payments.create({
        paymentMethodToken: sandbox.tokens.card,
        orderId,
        currencyCode: 'EUR',
        amount: 700,
      }),
    )
  }
  return { sandbox, payments, env: { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: url } }
}

/** A receiver of webhooks over HTTP. */
async function receiver(handle: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const headers = incoming.headers as Record<string, string>
    const response = await handle(new Request('http://receiver/', { method: 'POST', headers, body }))
    outgoing.writeHead(response.status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/hooks?token=t-1`
}

describe('payments-client', () => {
  it('explains itself', async () => {
    const { output, run } = terminal()

    const code = await run('--help')

    expect(code).toBe(0)
    expect(output.join('\n')).toMatch(/Usage: payments-client <command>/)
    for (const command of ['sandbox', 'webhooks send', 'webhooks diagnose', 'payments list', 'payments get']) {
      expect(output.join('\n')).toContain(`  ${command} `)
    }
  })

  it('explains itself when it is told nothing, which is not what it is for', async () => {
    const { output, run } = terminal()

    expect(await run()).toBe(2)
    expect(output.join('\n')).toContain('Commands:')
  })

  it('says its version', async () => {
    const { output, run } = terminal()

    expect(await run('--version')).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)])
  })

  it.each([
    ['sandbox', ['--port', '--host', '--webhook-url', '--seed']],
    ['webhooks send', ['<url>', '--event', '--data', 'PAYMENTS_WEBHOOK_SECRET']],
    ['webhooks diagnose', ['<file>', '--primary', '--secondary', '--hash', 'PAYMENTS_WEBHOOK_SECRET']],
    ['payments list', ['--status', '--last-4-digits', '--partnera-email', '--limit', '--cursor', 'PAYMENTS_API_KEY']],
    ['payments get', ['<id>', 'PAYMENTS_BASE_URL']],
  ])('explains %s', async (command, words) => {
    const { output, run } = terminal()

    const code = await run(...command.split(' '), '--help')

    expect(code).toBe(0)
    for (const word of [`payments-client ${command}`, ...words]) expect(output.join('\n')).toContain(word)
  })

  it.each([
    [['paymnets', 'list'], 'Unknown command "paymnets list". Did you mean "payments list"?'],
    [['x'], 'Unknown command "x". See payments-client --help'],
    [['payments', 'get'], 'Expected: payments-client payments get <id>'],
    [['payments', 'list', 'more'], 'Expected: payments-client payments list'],
    [['payments', 'list', '--sttaus', 'X'], "Unknown option '--sttaus'. Did you mean '--status'?"],
    [['sandbox', '--verbose'], "Unknown option '--verbose'. See payments-client sandbox --help"],
    [['payments', 'list', '-x'], "Unknown option '-x'. See payments-client payments list --help"],
    [['payments', 'list', '--limit'], "Option '--limit <value>' argument missing"],
    [['payments', 'list', '--from-date', 'gestern'], '--from-date must be a valid Date or an ISO 8601 datetime'],
    [
      ['payments', 'list', '--status', '', '--currency-code', 'euro'],
      '--status must be a status, or a list of at least one; --currency-code must be a three-letter ISO 4217 code',
    ],
    [['payments', 'list', '--cursor', ''], '--cursor must not be empty'],
    [['payments', 'get', ''], 'id must not be empty'],
    [['webhooks', 'diagnose', 'body.json'], 'Give what the header X-Signature-Primary held: --primary <signature>'],
    [['payments', 'list', '--limit', '0'], '--limit must be a whole number of at least 1'],
    [['payments', 'list', '--min-amount', '7.00'], '--min-amount must be a whole number of at least 0'],
    [['sandbox', '--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['sandbox', '--webhook-url', 'localhost:3000'], '--webhook-url must be a URL'],
  ])('refuses %j', async (args, message) => {
    const { notes, output, run } = terminal({ env: { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: 'https://api.test' } })

    const code = await run(...args)

    expect(code).toBe(2)
    expect(output).toEqual([])
    expect(notes).toEqual([expect.stringContaining(message)])
  })
})

describe('the process', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  })

  it('runs what its arguments say', async () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    process.argv.splice(2, Infinity, 'payments', 'lits')
    const complained = vi.spyOn(process.stderr, 'write').mockReturnValue(true)

    await import('../../src/cli/main.js')

    expect(process.exitCode).toBe(2)
    expect(written).not.toHaveBeenCalled()
    expect(complained).toHaveBeenCalledWith(expect.stringMatching(/^Unknown command "payments lits".*\n$/))
  })

  it('ends in silence when nobody reads on', async () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
    await import('../../src/cli/main.js')

    process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))

    expect(exit).toHaveBeenCalledOnce()
    expect(() => process.stdout.emit('error', new Error('disk full'))).toThrow('disk full')
  })

  it('prints for programs on standard output', () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)

    processTerminal().print('{}')

    expect(written).toHaveBeenCalledWith('{}\n')
  })

  it('reads files, and standard input for -', async () => {
    const input = Readable.from([Buffer.from('{"a":'), Buffer.from('1}')])
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never)

    const { read } = processTerminal()

    expect(Buffer.from(await read('-')).toString()).toBe('{"a":1}')
    expect(Buffer.from(await read('package.json')).toString()).toContain('"payments-client"')
    await expect(read('no-such-file')).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops on %s', (signal) => {
    const { interrupted } = processTerminal()

    process.emit(signal)

    expect(interrupted.aborted).toBe(true)
  })
})

describe('payments-client sandbox', () => {
  it('says how to reach it, and stops when it is told to', async () => {
    const { interrupt, line, run } = terminal()

    const ended = run('sandbox', '--port', '0', '--seed', 'demo')
    const welcome = await line(/PAYMENTS_BASE_URL/)
    const [, baseUrl, apiKey] = /PAYMENTS_BASE_URL=(\S+)\nPAYMENTS_API_KEY=(\S+)/.exec(welcome) ?? []
    const payment = await new PaymentsClient({ apiKey, baseUrl }).payments.create({
      paymentMethodToken: 'tok_card',
      orderId: 'order-1',
      currencyCode: 'EUR',
      amount: 700,
    })
    interrupt()

    expect(payment.status).toBe('AUTHORIZED')
    expect(await ended).toBe(0)
    await expect(fetch(`${baseUrl}/payments`)).rejects.toThrow('fetch failed')
    expect(apiKey).toBe(createSandbox({ seed: 'demo' }).apiKey)
  })

  it('stops although it was told so before it was ready', async () => {
    const { interrupt, run } = terminal()
    interrupt()

    expect(await run('sandbox', '--port', '0')).toBe(0)
  })

  it('logs requests without their query, and webhooks', async () => {
    const url = await receiver(() => new Response(null, { status: 204 }))
    const { interrupt, line, run } = terminal()

    const ended = run('sandbox', '--port', '0', '--webhook-url', url)
    const welcome = await line(/PAYMENTS_BASE_URL/)
    const [, baseUrl, apiKey] = /PAYMENTS_BASE_URL=(\S+)\nPAYMENTS_API_KEY=(\S+)/.exec(welcome) ?? []
    await fetch(`${baseUrl}/client-session?clientToken=secret-1`)
    await new PaymentsClient({ apiKey, baseUrl }).payments.create({
      paymentMethodToken: 'tok_card',
      orderId: 'order-1',
      currencyCode: 'EUR',
      amount: 700,
    })
    const lines = [await line(/client-session/), await line(/webhook {2}/), await line(/POST/)]
    interrupt()
    await ended

    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}GET {2}\/client-session {2}401 {2}\d+ ms$/)
    expect(lines[1]).toMatch(/webhook {2}PAYMENT\.STATUS to http:\/\/127\.0\.0\.1:\d+\/hooks {2}204$/)
    expect(lines[2]).toMatch(/POST {2}\/payments {2}200 {2}\d+ ms$/)
    expect(welcome).toContain(`# Webhooks go to ${url}`)
  })

  it('logs a request that was left without an answer', async () => {
    const { interrupt, line, run } = terminal()

    const ended = run('sandbox', '--port', '0')
    const welcome = await line(/PAYMENTS_BASE_URL/)
    const socket = connect(Number(/127\.0\.0\.1:(\d+)/.exec(welcome)?.[1]), '127.0.0.1')
    socket.write('POST /payments HTTP/1.1\r\nHost: sandbox\r\nContent-Length: 9\r\n\r\n{', () => socket.destroy())
    const log = await line(/POST/)
    interrupt()
    await ended

    expect(log).toMatch(/POST {2}\/payments {2}no answer {2}\d+ ms$/)
    expect(welcome).toContain('# Webhooks go nowhere')
  })

  it('logs a webhook that nobody took', async () => {
    const { interrupt, line, run } = terminal()

    const ended = run('sandbox', '--port', '0', '--webhook-url', await nowhere())
    const welcome = await line(/PAYMENTS_BASE_URL/)
    const [, baseUrl, apiKey] = /PAYMENTS_BASE_URL=(\S+)\nPAYMENTS_API_KEY=(\S+)/.exec(welcome) ?? []
    await new PaymentsClient({ apiKey, baseUrl }).payments.create({
      paymentMethodToken: 'tok_card',
      orderId: 'order-1',
      currencyCode: 'EUR',
      amount: 700,
    })
    const log = await line(/webhook {2}/)
    interrupt()
    await ended

    expect(log).toMatch(/no answer$/)
  })

  it('says what to do when the port is taken', async () => {
    const { env } = await service()
    const { notes, run } = terminal()

    const code = await run('sandbox', '--port', new URL(env.PAYMENTS_BASE_URL).port)

    expect(code).toBe(2)
    expect(notes).toEqual([expect.stringMatching(/^Port \d+ is taken: stop what runs there, or choose another/)])
  })

  it('says what else the system refused', async () => {
    const { notes, run } = terminal()

    // An address of documentation, which no machine has.
    const code = await run('sandbox', '--port', '0', '--host', '203.0.113.1')

    expect(code).toBe(1)
    expect(notes).toEqual([expect.stringContaining('EADDRNOTAVAIL')])
  })
})

describe('payments-client payments get', () => {
  it('prints the payment as one line of JSON', async () => {
    const { env, payments } = await service(['order-1'])
    const { output, run } = terminal({ env })

    const code = await run('payments', 'get', payments[0]!.id)

    expect(code).toBe(0)
    expect(output.map((line) => JSON.parse(line))).toMatchObject([{ id: payments[0]!.id, orderId: 'order-1' }])
  })

  it('says what the service refused, and never the key', async () => {
    const { env } = await service()
    const { notes, output, run } = terminal({ env: { ...env, PAYMENTS_API_KEY: 'a-wrong-key' } })

    const code = await run('payments', 'get', 'pay-1')

    expect(code).toBe(1)
    expect(output).toEqual([])
    expect(notes).toEqual([expect.stringContaining('payments.get (GET /payments/:id): the service answered 401')])
    expect(notes.join()).not.toContain('a-wrong-key')
  })

  it('asks for the environment that it needs', async () => {
    const { notes, run } = terminal({ env: { PAYMENTS_API_KEY: 'key' } })

    expect(await run('payments', 'get', 'pay-1')).toBe(2)
    expect(notes).toEqual(['Set the environment variable PAYMENTS_BASE_URL'])
  })

  it.each([
    [{ PAYMENTS_BASE_URL: 'http://api.test' }, 'The environment variable PAYMENTS_BASE_URL must use https'],
    [{ PAYMENTS_BASE_URL: 'api.test' }, 'The environment variable PAYMENTS_BASE_URL is not a URL'],
    [{ PAYMENTS_API_KEY: 'two words' }, 'The environment variable PAYMENTS_API_KEY has a space'],
  ])('names the variable that is wrong: %j', async (env, message) => {
    const { notes, run } = terminal({
      env: { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: 'https://api.test', ...env },
    })

    expect(await run('payments', 'get', 'pay-1')).toBe(2)
    expect(notes).toEqual([expect.stringContaining(message)])
    expect(notes.join()).not.toContain('two words')
  })
})

describe('payments-client payments list', () => {
  it('prints every payment, a line each', async () => {
    const { env, payments } = await service(['order-1', 'order-2', 'order-3'])
    const { output, run } = terminal({ env })

    const code = await run('payments', 'list')

    expect(code).toBe(0)
    const ids = output.map((line) => JSON.parse(line).id)
    expect(ids.sort()).toEqual(payments.map(({ id }) => id).sort())
  })

  it('prints no more than it is asked for', async () => {
    const { env } = await service(['order-1', 'order-2', 'order-3'])
    const { output, run } = terminal({ env })

    expect(await run('payments', 'list', '--limit', '2')).toBe(0)
    expect(output).toHaveLength(2)
  })

  it('filters', async () => {
    const { env, payments } = await service(['order-1', 'order-2'])
    const { output, run } = terminal({ env })

    await run('payments', 'list', '--order-id=order-2', '--status=SETTLED,AUTHORIZED', '--min-amount=700')
    await run('payments', 'list', '--last-4-digits', '0000')
    await run('payments', 'list', '--max-amount', '699')

    expect(output.map((line) => JSON.parse(line).id)).toEqual([payments[1]!.id])
  })

  it('does not say where to continue when nothing was read', async () => {
    const { env } = await service()
    const { notes, run } = terminal({ env: { ...env, PAYMENTS_API_KEY: 'a-wrong-key' } })

    expect(await run('payments', 'list')).toBe(1)
    expect(notes).toEqual([expect.stringContaining('the service answered 401')])
  })

  it('says where to continue when a page is missing', async () => {
    const { env, sandbox } = await service(Array.from({ length: 101 }, (_, index) => `order-${index}`))
    const { notes, output, run } = terminal({ env })
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', status: 400 })

    const code = await run('payments', 'list')
    const cursor = /Continue with --cursor (\S+)/.exec(notes[0] ?? '')?.[1] ?? ''
    await run('payments', 'list', '--cursor', cursor)

    expect(code).toBe(1)
    expect(notes[1]).toContain('the service answered 400')
    expect(new Set(output).size).toBe(101)
  })
})

describe('a bug', () => {
  it('is not taken for a mistake of the user', async () => {
    const read = () => Promise.reject(new TypeError('a bug'))
    const env = { PAYMENTS_WEBHOOK_SECRET: secret }
    const broken = { env, read, print: () => {}, note: () => {}, interrupted: new AbortController().signal }

    await expect(run(['webhooks', 'diagnose', '-', '--primary', 'c2ln'], broken)).rejects.toThrow('a bug')
  })
})

describe('payments-client webhooks send', () => {
  it.each(['PAYMENT.STATUS', 'PAYMENT.REFUND', 'DISPUTE.STATUS'] as const)('sends a signed %s', async (event) => {
    const events: string[] = []
    const note = ({ eventType }: { eventType: string }) => void events.push(eventType)
    const url = await receiver(
      createHandler({ secret, on: { 'PAYMENT.STATUS': note, 'PAYMENT.REFUND': note, 'DISPUTE.STATUS': note } }),
    )
    const { output, run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret } })

    const code = await run('webhooks', 'send', url, '--event', event)

    expect(code).toBe(0)
    expect(output).toEqual(['The receiver answered 200'])
    expect(events).toEqual([event])
  })

  it('sends a file as it is', async () => {
    let body = ''
    const url = await receiver(async (request) => {
      body = await request.text()
      return new Response()
    })
    const files = { 'event.json': '{ "message" : "é" }\n' }
    const { run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret }, files })

    await run('webhooks', 'send', url, '--data', 'event.json')

    expect(body).toBe(files['event.json'])
  })

  it('fails when the receiver refuses', async () => {
    const url = await receiver(createHandler({ secret: `another ${secret}`, on: {} }))
    const { output, run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret } })

    expect(await run('webhooks', 'send', url)).toBe(1)
    expect(output).toEqual(['The receiver answered 400'])
  })

  it('fails when nobody answers', async () => {
    const { output, run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret } })

    expect(await run('webhooks', 'send', await nowhere())).toBe(1)
    expect(output).toEqual([expect.stringMatching(/^No answer: .*ECONNREFUSED/)])
  })

  it.each([
    [['https://shop.test/hooks', '--event', 'PAYMENT.STATSU'], {}, '--event must be one of PAYMENT.STATUS, '],
    [['shop'], {}, 'Where to?'],
    [
      ['https://shop.test/hooks'],
      { PAYMENTS_WEBHOOK_SECRET: '' },
      'Set the environment variable PAYMENTS_WEBHOOK_SECRET',
    ],
    [['https://shop.test/hooks'], { PAYMENTS_WEBHOOK_SECRET: 'short' }, 'too short'],
  ])('refuses %j with %j', async (args, env, message) => {
    const { notes, run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret, ...env } })

    expect(await run('webhooks', 'send', ...args)).toBe(2)
    expect(notes).toEqual([expect.stringContaining(message)])
  })
})

describe('payments-client webhooks diagnose', () => {
  const body = '{"eventType":"PAYMENT.STATUS","payment":{"id":"pay-1"}}'

  it('finds nothing wrong with a good webhook', async () => {
    const { output, run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret }, files: { body } })

    const code = await run('webhooks', 'diagnose', 'body', '--primary', sign(body, secret)['X-Signature-Primary'])

    expect(code).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^verified: /)])
  })

  it('finds the mistake, and shows no secret', async () => {
    const files = { body: `${body}\n` }
    const { notes, output, run } = terminal({ env: { PAYMENTS_WEBHOOK_SECRET: secret }, files })

    const code = await run('webhooks', 'diagnose', 'body', '--primary', sign(body, secret)['X-Signature-Primary'])

    expect(code).toBe(1)
    expect(output).toEqual([expect.stringMatching(/^body-newline: /)])
    expect([...output, ...notes].join()).not.toContain(secret)
  })

  it('tries both secrets of a rotation, and the hash that is named', async () => {
    const env = { PAYMENTS_WEBHOOK_SECRET: `a newer ${secret},${secret}` }
    const { output, run } = terminal({ env, files: { body } })
    const headers = sign(body, secret, { hash: 'sha512' })

    const code = await run(
      'webhooks',
      'diagnose',
      'body',
      '--secondary',
      headers['X-Signature-Primary'],
      '--hash=sha512',
    )

    expect(code).toBe(0)
    expect(output).toEqual([expect.stringMatching(/^secondary-only: /)])
  })
})

/** An address where nobody listens. */
async function nowhere(): Promise<string> {
  const { url, close } = await createSandbox().listen()
  await close()
  return `${url}/hooks`
}
