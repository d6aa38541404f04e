import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox } from '../../src/testing/index.js'
import { bundled } from '../support/bundle.js'
import { sendTo } from '../support/control.js'
import { aPayment } from '../support/start-sandbox.js'
import { closedUrl, fakeTerminal, startReceiver } from './support.js'

/** Runs `payments-client sandbox` on a free port until the end of the test, and waits until it is listening. */
async function startCommand(...args: string[]) {
  const terminal = fakeTerminal()
  const exitCode = terminal.run('sandbox', '--port', '0', ...args)
  onTestFinished(async () => {
    terminal.interrupt()
    await exitCode
  })
  const [, baseUrl = ''] = await terminal.line(/^PAYMENTS_BASE_URL=(.+)/)
  const [, apiKey = ''] = await terminal.line(/^PAYMENTS_API_KEY=(.+)/)
  return { ...terminal, exitCode, baseUrl, apiKey, client: new PaymentsClient({ apiKey, baseUrl }) }
}

/** Kills a process and its children if any of them is still running. */
function killGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-Number(pid), 'SIGKILL')
  } catch {
    // Ignores that the processes have already exited.
  }
}

describe('payments-client sandbox', () => {
  it('prints the environment variables for a client, and exits when interrupted', async () => {
    const { apiKey, baseUrl, client, exitCode, interrupt } = await startCommand('--seed', 'demo')

    const payment = await client.payments.create(aPayment())
    interrupt()

    expect(payment.status).toBe('AUTHORIZED')
    expect(await exitCode).toBe(130)
    await expect(fetch(`${baseUrl}/payments`)).rejects.toThrow('fetch failed')
    expect(apiKey).toBe(createSandbox({ seed: 'demo' }).apiKey)
  })

  it('prints the URL of the inspector, and opens it in a browser with --open', async () => {
    const { baseUrl, line, opened } = await startCommand('--open')

    const [, address] = await line(/^# Watch payments, requests and webhooks: (.+)/)
    await expect.poll(() => opened).toEqual([address])

    expect(address).toBe(`${baseUrl}/__sandbox/`)
  })

  it('prints the environment variables as JSON with --json', async () => {
    const { interrupt, line, run } = fakeTerminal()
    const exitCode = run('sandbox', '--port', '0', '--json', '--seed', 'demo')

    const [variables] = await line(/^\{.*\}$/)
    interrupt()

    expect(await exitCode).toBe(130)
    const { apiKey, webhooks } = createSandbox({ seed: 'demo' })
    expect(JSON.parse(variables)).toEqual({
      PAYMENTS_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      PAYMENTS_API_KEY: apiKey,
      PAYMENTS_WEBHOOK_SECRET: webhooks.secret,
    })
  })

  it('serves the inspector for the host names in --allowed-host', async () => {
    const { baseUrl } = await startCommand('--allowed-host', 'pay.test', '--allowed-host', '::1')
    const statusFor = async (host: string) =>
      (await sendTo(`${baseUrl}/__sandbox/api/clock`, { headers: { host } })).status

    const statuses = await Promise.all(['pay.test', '[::1]:4010', 'evil.example'].map(statusFor))

    expect(statuses).toEqual([200, 200, 403])
  })

  it('creates the sandbox with the options from the command line', async () => {
    const { client } = await startCommand(
      ...['--now', '2026-03-01T12:00:00', '--list-delay', '60s', '--idempotency', 'conflict'],
      ...['--session-update', 'replace'],
    )
    const body = { orderId: 'order-17', customer: { firstName: 'Ada', lastName: 'Lovelace' } }

    const { date } = await client.payments.create(aPayment(), { idempotencyKey: 'pay-1' })
    const conflict = await client.payments.create(aPayment(), { idempotencyKey: 'pay-1' }).catch((error) => error)
    const { data: listed } = await client.payments.list()
    const { clientToken } = await client.clientSessions.create(body)
    const { customer } = await client.clientSessions.update(clientToken, { customer: { firstName: 'Zoe' } })

    expect(date).toBe('2026-03-01T12:00:00.000000')
    expect(conflict).toMatchObject({ httpStatus: 409 })
    expect(listed).toEqual([])
    expect(customer).toEqual({ firstName: 'Zoe' })
  })

  it.each([
    [['--now', 'yesterday'], 'It must be an ISO 8601 time, such as 2026-03-01T12:00:00Z'],
    [['--list-delay', 'soon'], "It must be milliseconds or a string such as '60s'"],
    [['--idempotency', 'off'], 'Allowed choices are replay, conflict, conflict-400'],
    [['--session-update', 'both'], 'Allowed choices are merge, replace'],
    [['--allowed-host', 'http://pay.test'], 'must be a host name or IP address, without scheme and port'],
  ])('rejects the invalid options %j', async (args, message) => {
    const { notes, run } = fakeTerminal()

    expect(await run('sandbox', '--port', '0', ...args)).toBe(2)
    expect(notes.join('\n')).toContain(message)
  })

  it('exits when npx is terminated', async () => {
    const command = [process.execPath, await bundled('src/cli/main.ts'), 'sandbox', '--port', '0']
    const env = { ...process.env, npm_command: 'exec' }
    // Starts the program in a shell, as npx does. Because of `; true`, the shell keeps running beside the program.
    const shell = spawn('sh', ['-c', '"$@"; true', 'sh', ...command], { env, detached: true })
    onTestFinished(() => killGroup(shell))
    const [output] = await once(shell.stdout, 'data')

    shell.kill('SIGTERM')

    await once(shell.stdout, 'close')
    expect(String(output)).toContain('sandbox is ready')
  })

  it('exits if interrupted before the server listens', async () => {
    const { interrupt, run } = fakeTerminal()
    interrupt()

    expect(await run('sandbox', '--port', '0')).toBe(130)
  })

  it('logs requests and webhooks, but no query strings', async () => {
    const url = await startReceiver(() => new Response(null, { status: 204 }))
    const { baseUrl, client, line, output } = await startCommand('--webhook-url', url)

    await fetch(`${baseUrl}/client-session?clientToken=secret-1`)
    await client.payments.create(aPayment())
    await line(/^\d\d:\d\d:\d\d {2}GET {2}\/client-session {2}401 {2}\d+ ms$/)
    await line(/webhook {2}PAYMENT\.STATUS to http:\/\/127\.0\.0\.1:\d+\/hooks {2}204$/)
    await line(/POST {2}\/payments {2}200 {2}\d+ ms$/)

    expect(output).toContain(`# Webhooks are sent to ${url}`)
  })

  it('logs a webhook that gets no response', async () => {
    const { client, line } = await startCommand('--webhook-url', await closedUrl())

    await client.payments.create(aPayment())

    await line(/webhook {2}.* no response$/)
  })

  it('explains that the port is already in use', async () => {
    const { baseUrl } = await startCommand()
    const { notes, run } = fakeTerminal()

    const code = await run('sandbox', '--port', new URL(baseUrl).port)

    expect(code).toBe(1)
    expect(notes).toEqual([expect.stringMatching(/^Port \d+ is in use: stop the other program, or choose another/)])
  })

  it('prints the system error if listening fails for another reason', async () => {
    const { notes, run } = fakeTerminal()

    // Nothing can listen on this address, which is reserved for documentation.
    const code = await run('sandbox', '--port', '0', '--host', '203.0.113.1')

    expect(code).toBe(1)
    expect(notes).toEqual([expect.stringContaining('EADDRNOTAVAIL')])
  })
})
